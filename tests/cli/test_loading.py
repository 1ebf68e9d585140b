import torch

from highwaygraph.cli.loading import choose_split
from highwaygraph.config import SplitChoice
from tests.helpers.cli import run
from tests.helpers.graphs import block_graph
from tests.helpers.text_models import model2vec_folder, papers


def test_auto_prefers_the_graphs_own_split() -> None:
    data = block_graph()
    auto, random = (SplitChoice(split=how, train=3, val=4) for how in ("auto", "random"))
    assert torch.equal(choose_split(data, auto).train_mask, data.train_mask)
    assert int(choose_split(data, random).train_mask.sum()) == 9
    del data.train_mask, data.val_mask, data.test_mask
    assert int(choose_split(data, auto).val_mask.sum()) == 12


def test_text_is_encoded_by_a_model_of_a_folder(tmp_path, capsys) -> None:
    nodes, edges = papers()
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    source = model2vec_folder(tmp_path / "model")
    code, out, err = run(capsys, "inspect", str(tmp_path), "--text", source)
    assert code == 0, err
    # A long path folds the cell of the table.
    assert "6 numbers of" in out
    assert "model2vec:" in out
