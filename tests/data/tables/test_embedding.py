import numpy as np
import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data import convert, load
from highwaygraph.data.tables import text_models
from highwaygraph.data.tables.embedding import Embedding, open_stored_models, with_text_model
from highwaygraph.data.tables.encoders import ENCODERS, Text
from highwaygraph.data.tables.text_models import open_text_model
from highwaygraph.errors import DataError
from tests.helpers.text_models import lengths, model2vec_folder, papers


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    text_models._open_named.cache_clear()


def stored(encoder: Embedding) -> Embedding:
    """Return the encoder as it is read from a run folder."""
    return ENCODERS.validate_json(ENCODERS.dump_json({"text": encoder}))["text"]


def test_every_text_has_its_vector_and_a_missing_one_zeros() -> None:
    encoder = Embedding.of(open_text_model(lengths))
    found = encoder.encode(pd.Series(["banana", None, "x", "banana"]))
    assert np.allclose(found, [[0.6, 3], [0, 0], [0.1, 0], [0.6, 3]])


def test_a_text_is_encoded_once_and_in_chunks(monkeypatch) -> None:
    seen: list[int] = []

    def count(texts: list[str]) -> list[list[float]]:
        seen.append(len(texts))
        return lengths(texts)

    encoder = Embedding.of(open_text_model(count))
    monkeypatch.setattr("highwaygraph.data.tables.embedding.CHUNK", 4)
    seen.clear()
    found = encoder.encode(pd.Series([f"word {n % 10}" for n in range(100)]))
    assert seen == [4, 4, 2]
    assert np.allclose(found[17], lengths(["word 7"])[0])


def test_a_stored_encoder_opens_its_model_by_name(tmp_path) -> None:
    encoder = Embedding.of(open_text_model(model2vec_folder(tmp_path / "model")))
    column = pd.Series(["graph law", "court"])
    assert np.array_equal(stored(encoder).encode(column), encoder.encode(column))
    assert np.array_equal(open_stored_models({"text": stored(encoder)})["text"].encode(column), encoder.encode(column))
    assert stored(encoder).model_dump() == encoder.model_dump()


def test_a_model_that_changed_is_refused(tmp_path) -> None:
    encoder = stored(Embedding.of(open_text_model(model2vec_folder(tmp_path / "model"))))
    text_models._open_named.cache_clear()
    model2vec_folder(tmp_path / "model", seed=1)
    with pytest.raises(DataError, match="has other weights or returns other vectors"):
        encoder.encode(pd.Series(["graph"]))


def test_a_model_that_moved_is_given_by_its_new_path(tmp_path) -> None:
    source = model2vec_folder(tmp_path / "model")
    encoder = stored(Embedding.of(open_text_model(source)))
    expected = encoder.encode(pd.Series(["graph"]))
    text_models._open_named.cache_clear()
    (tmp_path / "model").rename(tmp_path / "moved")
    with pytest.raises(DataError, match="There is no folder"):
        encoder.encode(pd.Series(["graph"]))
    with pytest.raises(DataError, match="There is no folder"):
        open_stored_models({"text": encoder})
    moved = with_text_model({"text": encoder}, f"model2vec:{tmp_path / 'moved'}")["text"]
    assert np.array_equal(moved.encode(pd.Series(["graph"])), expected)


def test_a_function_has_to_be_passed_again() -> None:
    encoder = stored(Embedding.of(open_text_model(lengths)))
    with pytest.raises(DataError, match="function:lengths: pass that function to hg.load as text_encoder"):
        encoder.encode(pd.Series(["graph"]))
    assert with_text_model({"text": encoder}, lengths)["text"].encode(pd.Series(["banana"])).tolist()[0][1] == 3
    assert open_stored_models({"text": encoder}) == {"text": encoder}
    with pytest.raises(DataError, match="returns other vectors"):
        with_text_model({"text": encoder}, lambda texts: [[1.0, 2.0] for _ in texts])
    with pytest.raises(DataError, match="no column that a text encoder reads"):
        with_text_model({"text": Text(listed=False)}, lengths)


def test_columns_of_text_are_read_by_the_encoder(tmp_path) -> None:
    nodes, edges = papers()
    graph = load(nodes, edges, text_encoder=lengths)
    assert graph.x.shape == (40, 2)
    assert torch.allclose(graph.x[0], torch.tensor(lengths([nodes["text"][0]])[0]))
    assert graph.x[5].tolist() == [0, 0]
    assert next(c for c in graph.read_log.columns if c.name == "text").note == "text, as 2 numbers of function:lengths"
    with pytest.raises(DataError, match="No column of the nodes is read as text"):
        load(nodes.drop(columns="text"), edges, text_encoder=lengths)
    with pytest.raises(DataError, match="text_encoder: this graph is not read from tables"):
        load("cora", text_encoder=lengths)


def test_a_converted_graph_has_the_same_features(tmp_path) -> None:
    nodes, edges = papers()
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    source = model2vec_folder(tmp_path / "model")
    mapped = convert(tmp_path, tmp_path / "out", text_encoder=source)
    assert torch.equal(mapped.x, load(nodes, edges, text_encoder=source).x)
    assert mapped.encoders["text"].source == source


def test_a_run_predicts_new_nodes_with_its_encoder(tmp_path) -> None:
    nodes, edges = papers()
    source = model2vec_folder(tmp_path / "model")
    data = hg.split(load(nodes, edges, text_encoder=source), train=4, val=4, seed=0)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5})
    result = hg.train(hg.models.build("gcn", data), data, config)
    result.save(tmp_path / "run")
    assert not [path for path in (tmp_path / "run").iterdir() if path.suffix in (".pkl", ".pt", ".bin")]
    opened = hg.open_run(tmp_path / "run")
    more = load(nodes, edges, schema=opened.schema())
    assert torch.equal(more.x, data.x)
    assert torch.allclose(opened.predict_logits(more), result.logits, atol=1e-5)
    text_models._open_named.cache_clear()
    model2vec_folder(tmp_path / "model", seed=1)
    with pytest.raises(DataError, match="give the model that it was trained with"):
        load(nodes, edges, schema=opened.schema())
