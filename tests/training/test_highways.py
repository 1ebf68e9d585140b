import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.training.highways import (
    calibrate,
    choose_anchors,
    decide,
    pair_scores,
    propose,
    sample_partners,
    true_class_edges,
)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def undirected(edges: torch.Tensor) -> set[tuple[int, int]]:
    return {(min(i, j), max(i, j)) for i, j in edges.T.tolist()}


def proposed_by_loops(logits, classes, confidence, anchors, t_n, t_p, joint) -> set[tuple[int, int]]:
    """Eq. 12 to 15 as a plain double loop over the whole matrix."""
    found, probability = set(), (logits @ logits.T).sigmoid()
    for i in range(len(logits)):
        for j in range(len(logits)):
            node = classes[i] == classes[j] and confidence[i] > t_n and confidence[j] > t_n
            pair = probability[i, j] >= t_p
            mask = i in anchors
            if node and (pair or not joint) and mask and i != j:
                found.add((i, j))
    return found


random_case = st.tuples(
    st.integers(1, 10),
    st.integers(2, 4),
    st.integers(0, 999),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
)


def case(nodes, classes, seed):
    logits = 2 * torch.randn(nodes, classes, generator=rng(seed))
    labels = torch.randint(classes, (nodes,), generator=rng(seed + 1))
    labelled = torch.rand(nodes, generator=rng(seed + 2)) < 0.5
    anchors = choose_anchors(labels, labelled, 1, rng(seed))
    return logits, *decide(logits, labels, labelled), anchors


@given(random_case)
def test_proposals_match_the_double_loop(values) -> None:
    nodes, classes, seed, t_n, t_p, joint = values
    logits, predicted, confidence, anchors = case(nodes, classes, seed)
    found = propose(logits, predicted, confidence, anchors, node_threshold=t_n, pair_threshold=t_p, joint=joint)
    expected = proposed_by_loops(logits, predicted, confidence, anchors.tolist(), t_n, t_p, joint)
    assert {tuple(edge) for edge in found.edges.T.tolist()} == expected
    assert found.edges.size(1) == len(expected)


@given(random_case, st.floats(0, 1))
def test_shards_of_the_nodes_together_give_all_proposals(values, fraction) -> None:
    nodes, classes, seed, t_n, t_p, joint = values
    given_, options = case(nodes, classes, seed), {"node_threshold": t_n, "pair_threshold": t_p, "joint": joint}
    cut = int(fraction * nodes)
    parts = [propose(*given_, **options, among=part) for part in (slice(0, cut), slice(cut, nodes))]
    found = {tuple(edge) for part in parts for edge in part.edges.T.tolist()}
    assert found == {tuple(edge) for edge in propose(*given_, **options).edges.T.tolist()}
    assert all(int(edge) < cut for edge in parts[0].edges[1])


@given(random_case, st.floats(0, 1), st.floats(0, 1))
def test_higher_thresholds_never_add_an_edge(values, more_n, more_p) -> None:
    nodes, classes, seed, t_n, t_p, joint = values
    given_ = case(nodes, classes, seed)
    low = propose(*given_, node_threshold=t_n, pair_threshold=t_p, joint=joint)
    high = propose(*given_, node_threshold=max(t_n, more_n), pair_threshold=max(t_p, more_p), joint=joint)
    assert set(map(tuple, high.edges.T.tolist())) <= set(map(tuple, low.edges.T.tolist()))


@given(random_case)
def test_renaming_nodes_renames_the_proposals(values) -> None:
    nodes, classes, seed, t_n, t_p, joint = values
    logits, predicted, confidence, anchors = case(nodes, classes, seed)
    order = torch.randperm(nodes, generator=rng(seed))
    place = order.argsort()
    options = {"node_threshold": t_n, "pair_threshold": t_p, "joint": joint}
    before = propose(logits, predicted, confidence, anchors, **options)
    after = propose(logits[order], predicted[order], confidence[order], place[anchors], **options)
    assert {(int(place[i]), int(place[j])) for i, j in before.edges.T.tolist()} == set(
        map(tuple, after.edges.T.tolist())
    )


def test_proposals_have_the_confidence_and_the_pair_score() -> None:
    logits = torch.tensor([[3.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    predicted, confidence = decide(logits, torch.tensor([0, -1, -1]), torch.tensor([True, False, False]))
    found = propose(
        logits, predicted, confidence, torch.tensor([0]), node_threshold=0.5, pair_threshold=0.9, joint=True
    )
    assert found.edges.tolist() == [[0], [1]]
    assert torch.equal(found.confidence, logits.softmax(1)[1:2, 0])
    assert torch.equal(found.pair_score, torch.tensor([6.0]).sigmoid())


def test_labelled_nodes_have_confidence_one() -> None:
    logits = torch.tensor([[0.0, 5.0], [0.0, 1.0]])
    predicted, confidence = decide(logits, torch.tensor([0, -1]), torch.tensor([True, False]))
    assert predicted.tolist() == [0, 1]
    assert confidence[0] == 1.0


def test_anchors_are_labelled_and_per_class() -> None:
    labels = torch.tensor([0, 0, 0, 1, 1, 2, -1])
    labelled = torch.tensor([True, True, False, True, True, True, False])
    anchors = choose_anchors(labels, labelled, 2, rng())
    assert labelled[anchors].all()
    assert sorted(labels[anchors].tolist()) == [0, 0, 1, 1, 2]
    assert torch.equal(anchors, choose_anchors(labels, labelled, 2, rng()))


def test_anchors_by_degree() -> None:
    labels, labelled = torch.zeros(4, dtype=torch.long), torch.tensor([True, True, True, False])
    degree = torch.tensor([2, 7, 3, 9])
    assert choose_anchors(labels, labelled, 2, rng(), rule="degree", degree=degree).tolist() == [1, 2]


def test_calibrate_on_a_literal_case() -> None:
    confidence = torch.tensor([0.9, 0.8, 0.7, 0.6, 0.5])
    correct = torch.tensor([True, True, False, True, False])
    assert calibrate(confidence, correct, 1.0) == float(confidence[2])
    assert calibrate(confidence, correct, 0.75) == float(confidence[4])
    assert calibrate(confidence, correct, 0.6) == 0.0
    assert calibrate(confidence, ~correct, 0.99) == 1.0


@given(st.lists(st.tuples(st.sampled_from([0.2, 0.4, 0.6, 0.8]), st.booleans()), max_size=12), st.floats(0.1, 1))
def test_calibrated_threshold_is_the_smallest_that_reaches_the_precision(nodes, precision) -> None:
    confidence = torch.tensor([c for c, _ in nodes], dtype=torch.float64)
    correct = torch.tensor([r for _, r in nodes], dtype=torch.bool)
    reached = []
    for cut in [0.0, *sorted({c for c, _ in nodes})]:
        passing = correct[confidence > cut]
        if len(passing) and float(passing.double().mean()) >= precision:
            reached.append(cut)
    assert calibrate(confidence, correct, precision) == (min(reached) if reached else 1.0)


def test_true_class_edges_start_at_an_anchor_of_the_true_class() -> None:
    labels, anchors = torch.tensor([0, 1, 0, 1, 2, -1]), torch.tensor([0, 1])
    edges = torch.tensor([[0, 0, 0, 1, 1], [2, 3, 4, 5, 3]])
    # Class 2 has no anchor and the class of node 5 is unknown: both keep the proposed edge.
    assert true_class_edges(edges, anchors, labels).tolist() == [[0, 1, 0, 1, 1], [2, 3, 4, 5, 3]]


def test_partners_share_the_class_and_are_confident() -> None:
    classes = torch.tensor([2, 0, 0, 2, 1, 0, 2, 0])
    confident = torch.tensor([True, True, True, True, True, True, False, True])
    edges = sample_partners(classes, confident, 50, rng())
    assert (classes[edges[0]] == classes[edges[1]]).all()
    assert confident[edges].all()
    assert (edges[0] != edges[1]).all()
    # Class 1 has one confident node, hence no pair; in the other classes every pair is sampled.
    assert undirected(edges) == {(0, 3), (1, 2), (1, 5), (1, 7), (2, 5), (2, 7), (5, 7)}
    assert sample_partners(classes, torch.zeros(8, dtype=torch.bool), 2, rng()).shape == (2, 0)


def test_pair_scores_are_probabilities_of_sharing_a_class() -> None:
    logits = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
    expected = torch.tensor([5.0, 1.0]).sigmoid()
    torch.testing.assert_close(pair_scores(logits, torch.tensor([[0, 1], [0, 0]])), expected)
