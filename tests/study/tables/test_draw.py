import numpy as np
import pytest

from highwaygraph.study.tables.draw import (
    dates,
    make_tables,
    sample_categories,
    sample_classes,
    sample_edges,
    sample_flags,
    sample_numbers,
    sample_texts,
    with_gaps,
)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_classes_have_the_given_proportions(rng) -> None:
    y = sample_classes(rng, (1, 2, 5), 80)
    assert np.bincount(y).tolist() == [10, 20, 50]
    assert (np.diff(y) < 0).any()


def test_edges_have_the_given_share_within_classes(rng) -> None:
    y = sample_classes(rng, (1, 1, 1, 1), 4000)
    for within, to_others, expected in ((0.6, False, 0.7), (0.0, False, 0.25), (0.1, True, 0.1)):
        edges = sample_edges(rng, y, 6, within, to_others=to_others)
        source, target = edges["source"], edges["target"]
        assert (source < target).all()
        assert len({*zip(source.tolist(), target.tolist(), strict=True)}) == len(source)
        assert (y[source] == y[target]).mean() == pytest.approx(expected, abs=0.03)


def test_columns_follow_the_classes(rng) -> None:
    y = sample_classes(rng, (1, 1), 4000)
    numbers = sample_numbers(rng, y, 50.0)
    assert all(numbers[y == c].std() == pytest.approx(1, abs=0.1) for c in (0, 1))
    assert abs(numbers[y == 0].mean() - numbers[y == 1].mean()) > 1
    uneven, even = (sample_categories(rng, y, ["a", "b", "c"], evenness) for evenness in (0.1, 1000.0))
    share = lambda column: [(column[y == c] == "a").mean() for c in (0, 1)]  # noqa: E731
    assert set(even) == {*"abc"}
    assert share(even) == pytest.approx([1 / 3, 1 / 3], abs=0.05)
    assert share(uneven) != pytest.approx([1 / 3, 1 / 3], abs=0.05)
    assert set(sample_flags(rng, y, 0.1)) == {"true", "false"}


def test_texts_hold_words_of_their_class(rng) -> None:
    y = sample_classes(rng, (1, 1), 600)
    found = [{*" ".join(np.array(sample_texts(rng, y, 8, 1.0, own=5))[y == c]).split()} for c in (0, 1)]
    assert all(len(words) <= 5 for words in found)
    text = sample_texts(rng, y, 8, 0.2)[0]
    assert len(text.split()) == 8


def test_gaps_dates_and_ids(rng) -> None:
    assert with_gaps(rng, np.ones(2000), 0.3).isna().mean() == pytest.approx(0.3, abs=0.05)
    assert dates(np.array([0.0, 31.9]), "2004-05-01").tolist() == ["2004-05-01", "2004-06-01"]
    edges = {"source": np.array([0, 1]), "target": np.array([2, 2]), "weight": np.array([0.5, 1.0])}
    nodes, ends = make_tables(rng, np.array(["a", "b", "a"]), {"size": [1, 2, 3]}, edges)
    assert list(nodes) == ["id", "size", "label"]
    assert ends["source"].tolist() == nodes["id"].tolist()[:2]
    assert ends["target"].tolist() == [nodes["id"][2]] * 2
