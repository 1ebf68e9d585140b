"""Label files: what is written is read again, and every fault is one sentence."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import highwaygraph as hg
from highwaygraph.data.label_file import Answer, apply_answers, class_list, format_answers, hide_labels, read_answers
from highwaygraph.errors import DataError
from tests.helpers.annotation import NAMES, cold_graph, named_graph

HEAD = "id,class,answer,time\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(text)
    return path


@given(
    st.dictionaries(
        st.integers(0, 59),
        st.one_of(
            st.sampled_from(["not sure", "skipped"]).map(lambda kind: (kind, "")),
            st.text(
                st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]) | st.sampled_from(" ,\"'=+-@;"),
                min_size=1,
            ).map(lambda name: ("label", name.strip() or "x")),
        ),
        max_size=12,
    )
)
def test_answers_are_read_as_they_were_written(tmp_path_factory, found) -> None:
    graph = cold_graph()
    answers = [Answer(node, kind, label, "2026-01-01T00:00:00+00:00") for node, (kind, label) in found.items()]
    path = write(tmp_path_factory.mktemp("labels"), format_answers(answers, graph.ids, class_list(graph)))
    assert read_answers(path, graph, rewritten=True) == answers


def test_ids_are_formulas_or_numbers(tmp_path) -> None:
    graph = cold_graph()
    graph.ids = [f"=n{node}" for node in range(60)]
    text = format_answers([Answer(7, "label", "red")], graph.ids, NAMES)
    assert "'=n7" in text
    assert read_answers(write(tmp_path, text), graph)[0].node == 7
    graph.ids = [10 * node for node in range(60)]
    assert read_answers(write(tmp_path, "class,id\nred,70\n"), graph)[0] == Answer(7, "label", "red")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "labels.csv is no label file: its first line has to name the columns id and class."),
        ("n1,red\n", "is no label file"),
        (f"{HEAD}n1,red\nnobody,red\nelse,red\n", "names 2 nodes that the graph does not have (first: 'nobody' in"),
        (f"{HEAD}n1,rde\n", "names 1 class that the graph does not have (first: 'rde' in line 2): correct the class"),
        (f"{HEAD}n1,rde\n", "Did you mean 'red'?"),
        (f"{HEAD}n1,red\nn2,red\nn1,blue\n", "labels node 'n1' twice, 'red' in line 2 and 'blue' in line 4: remove"),
        (f'{HEAD}n1,"red\n', "is no valid CSV in line"),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_and_nothing_is_lost(tmp_path, text, sentence) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DataError) as error:
        read_answers(path, cold_graph())
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert path.read_text() == text


def test_files_that_are_no_text_or_missing_are_refused(tmp_path) -> None:
    (tmp_path / "labels.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not in UTF-8: save it"):
        read_answers(tmp_path / "labels.csv", cold_graph())
    with pytest.raises(DataError, match="Cannot read the label file .*none.csv"):
        read_answers(tmp_path / "none.csv", cold_graph())


def test_a_file_with_further_columns_is_read_but_not_rewritten(tmp_path) -> None:
    path = write(tmp_path, "id,class,text\nn1,red,words\n")
    assert read_answers(path, cold_graph()) == [Answer(1, "label", "red")]
    with pytest.raises(DataError, match="columns that a label file does not keep .first: 'text'.: choose another file"):
        read_answers(path, cold_graph(), rewritten=True)


def test_the_same_label_twice_and_a_label_after_a_doubt_are_no_fault(tmp_path) -> None:
    text = f"{HEAD}n1,red,label,\nn1,red,label,\nn2,,not sure,\nn2,blue,label,\n\nn3,,,\n"
    found = read_answers(write(tmp_path, text), cold_graph())
    assert found == [Answer(1, "label", "red"), Answer(2, "label", "blue"), Answer(3, "skipped")]


def test_a_new_class_is_marked_once_and_read_again(tmp_path) -> None:
    text = format_answers([Answer(n, "label", "pink") for n in (1, 2)], cold_graph().ids, NAMES)
    assert [line.split(",")[2] for line in text.splitlines()[1:]] == ["new class", "label"]
    graph = hg.with_labels(named_graph(), write(tmp_path, text))
    assert graph.classes == [*NAMES, "pink"]
    assert graph.y[[1, 2]].tolist() == [3, 3]


def test_labels_of_the_graph_are_kept_or_left_out(tmp_path) -> None:
    path = write(tmp_path, "id,class\nn0,blue\nn25,green\n")
    graph = named_graph()
    merged = hg.with_labels(graph, path)
    assert (int((merged.y >= 0).sum()), int(merged.y[0]), int(graph.y[0])) == (60, 2, 0)
    assert "train_mask" not in merged
    assert "train_mask" in graph
    alone = hg.with_labels(graph, path, known="none")
    # Classes without a label are left out.
    assert (alone.classes, alone.y[alone.y >= 0].tolist()) == (["green", "blue"], [1, 0])
    trained = hide_labels(graph, "train")
    assert torch.equal(trained.y >= 0, graph.train_mask)


def test_known_labels_of_training_nodes_need_a_split() -> None:
    with pytest.raises(DataError, match="no single train_mask"):
        hide_labels(cold_graph(), "train")


def test_a_graph_without_labels_has_no_classes_and_accepts_any(tmp_path) -> None:
    graph = named_graph()
    graph.y, graph.classes = torch.full_like(graph.y, -1), None
    assert class_list(hide_labels(graph, "all")) == []
    labelled = hg.with_labels(graph, write(tmp_path, "id,class\nn1,x\nn2,y\nn3,x\n"))
    assert (labelled.classes, labelled.y[[1, 2, 3]].tolist()) == (["x", "y"], [0, 1, 0])
    assert apply_answers(graph, []).classes is None


def test_the_classes_of_a_model_come_first() -> None:
    answers = [Answer(0, "label", "red"), Answer(1, "label", "green"), Answer(2, "label", "pink")]
    graph = apply_answers(cold_graph(), answers, first=["blue", "red"])
    assert graph.classes == ["blue", "red", "green", "pink"]
    assert graph.y[:4].tolist() == [1, 2, 3, -1]


def test_a_mapped_graph_is_refused(tmp_path) -> None:
    mapped = hg.convert(named_graph(), tmp_path / "mapped")
    with pytest.raises(DataError, match="this one is memory-mapped: write the labels into its table"):
        hide_labels(mapped, "all")
