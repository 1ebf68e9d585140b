"""Explanations as text: every section that has rows, and truthful sentences on highways."""

from dataclasses import replace

from highwaygraph.cli.explanation_table import explanation_text, highway_reason, nearest_text
from highwaygraph.explanation.records import Explanation, HighwayReason, LabelEffect, NearestLabel, Part
from tests.helpers.rendered import rendered

NEAR = NearestLabel(1, ("a", "b"), "red", None)
FAR = NearestLabel(None, (), None, None)
REASON = HighwayReason("b", "red", "red", True, 2, 0.9, 0.97, 0.25, ("title: graph",))
FOUND = Explanation(
    id="a", node=0, predicted="red", confidence=0.8, runner_up="blue", margin=1.5, label=None, split="", typical="blue",
    answer="HighwayGraph", parts=(Part("HighwayGraph", 1.0, "red", 1.5),), network_margin=1.5, field_nodes=4,
    exact=True, messages=(), labels=(), features=(), voters=(), highways=(REASON,), num_highways=1,
    highways_at_prediction=False, nearest_before=FAR, nearest_after=NEAR, notes=("A limit.",),
)  # fmt: skip


def test_sections_without_rows_are_left_out() -> None:
    text = rendered(explanation_text(FOUND))
    assert "a: red" in text
    assert "1 highway: in its training targets only" in text
    assert "Messages" not in text
    assert "Note: A limit." in text
    assert "Typical training predicts blue." in " ".join(text.split())


def test_the_reason_for_a_highway_is_a_phrase() -> None:
    wanted = "labelled red; pair score 97 %, confidence 90 %; similarity 0.25; shares title: graph"
    assert highway_reason(REASON) == wanted
    other = replace(REASON, label=None, predicted="blue", same_prediction=False, shared=())
    assert highway_reason(other).startswith("predicted blue (another class now);")


def test_the_nearest_label_is_stated_truthfully() -> None:
    lines = nearest_text(FOUND).splitlines()
    assert lines[0] == "On the original graph: no path leads to a label."
    assert lines[1] == "With highways: 1 hop to a label of any class (red) by a - b, no path to a label of red."
    assert lines[2].startswith("The network predicts on the original graph")
    used = nearest_text(replace(FOUND, highways_at_prediction=True))
    assert used.endswith("The network predicts on the graph with highways.")
    assert len(nearest_text(replace(FOUND, num_highways=0, nearest_after=FAR)).splitlines()) == 1


def test_the_margin_has_its_unit_and_the_split_its_name() -> None:
    text = " ".join(rendered(explanation_text(replace(FOUND, label="red", split="val"))).split())
    assert "The logit of red is 1.50 above that of blue, the next class: this is the margin." in text
    assert "Class in the data: red (validation node)." in text
    assert "margins in logits" in text
    assert "Temperature" not in text


def test_parts_of_a_combination_have_the_weight_beside_the_factor() -> None:
    parts = (Part("HighwayGraph", 1.6, "red", 1.5, 0.8, 0.5), Part("threshold", 1.0, None, 0.1))
    text = rendered(explanation_text(replace(FOUND, answer="combination", parts=parts)))
    rows = [line.split() for line in text.splitlines()]
    assert ["Part", "Weight", "Temperature", "Factor", "Predicted", "Margin"] in rows
    assert ["HighwayGraph", "0.80", "0.50", "1.60", "red", "+1.50"] in rows
    assert ["threshold", "-", "-", "1.00", "-", "+0.10"] in rows
    assert "Factor of the logits: the weight, which highway train prints, divided by the temperature." in text


def test_a_dash_in_place_of_hops_is_explained_where_there_is_one() -> None:
    near, far = LabelEffect("b", "red", 1, 0.5, 0.6), LabelEffect("c", "red", None, 0.4, 0.4)
    assert "Hops -: the label is beyond" in rendered(explanation_text(replace(FOUND, labels=(near, far))))
    assert "Hops -" not in rendered(explanation_text(replace(FOUND, labels=(near,))))
