import sys

import numpy as np
import pytest
import torch

from highwaygraph.data.tables import text_models
from highwaygraph.data.tables.text_models import open_text_model
from highwaygraph.errors import ConfigError, DataError
from tests.helpers.text_models import lengths, model2vec_folder


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    text_models._open_named.cache_clear()


def test_a_model_of_a_folder_gives_its_own_vectors(tmp_path) -> None:
    source = model2vec_folder(tmp_path / "model")
    model = open_text_model(source)
    assert (model.source, model.size, len(model.digest)) == (source, 6, 64)
    from model2vec import StaticModel

    expected = StaticModel.from_pretrained(tmp_path / "model").encode(["graph law", "court"])
    assert np.array_equal(model.vectors(["graph law", "court"]), expected)


def test_the_digest_is_that_of_the_content_not_of_the_place(tmp_path) -> None:
    first = open_text_model(model2vec_folder(tmp_path / "a"))
    assert open_text_model(model2vec_folder(tmp_path / "b")).digest == first.digest
    assert open_text_model(model2vec_folder(tmp_path / "c", seed=1)).digest != first.digest


def test_a_function_is_identified_by_a_vector() -> None:
    model = open_text_model(lengths)
    assert (model.source, model.size, model.digest) == ("function:lengths", 2, "")
    assert model.vectors(["banana"]).tolist() == [[pytest.approx(0.6), 3.0]]
    assert open_text_model(lambda texts: torch.ones(len(texts), 3)).size == 3


@pytest.mark.parametrize(
    "encode",
    [
        lambda texts: [1.0],
        lambda texts: np.full((len(texts), 2), np.nan),
        lambda texts: [["a"]],
        lambda texts: np.zeros((len(texts) + 1, 2)),
        lambda texts: None,
    ],
)
def test_a_function_that_returns_something_else_is_refused(encode) -> None:
    with pytest.raises(DataError, match="per text"):
        open_text_model(encode)


def test_names_that_lead_nowhere_are_refused(tmp_path, monkeypatch) -> None:
    pytest.importorskip("model2vec", reason="model2vec is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match="There is no text encoder 'word2vec:x': use model2vec:PATH"):
        open_text_model("word2vec:x")
    with pytest.raises(DataError, match=r"There is no folder .*none: name the place .* with --text model2vec:PATH\.$"):
        open_text_model(f"model2vec:{tmp_path / 'none'}")
    with pytest.raises(DataError, match=r"no downloaded model .* --text model2vec:PATH, or .* hf download some/none"):
        open_text_model("model2vec:some/none")
    with pytest.raises(DataError, match="takes a name or a function, not int"):
        open_text_model(5)
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled" / "pytorch_model.bin").touch()
    with pytest.raises(DataError, match="no weights in the format safetensors"):
        open_text_model(f"model2vec:{tmp_path / 'pickled'}")


def test_a_damaged_model_is_refused(tmp_path) -> None:
    source = model2vec_folder(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(DataError, match="model cannot be read as a model of texts"):
        open_text_model(source)


def test_a_missing_package_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(ConfigError, match=r"needs model2vec: pip install 'highwaygraph\[text\]'"):
        open_text_model(f"model2vec:{tmp_path}")


# Its libraries warn about their own names.
@pytest.mark.filterwarnings("ignore")
def test_a_sentence_transformer_of_a_folder_gives_its_own_vectors(tmp_path) -> None:
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    modules = pytest.importorskip("sentence_transformers.models")
    model2vec_folder(tmp_path / "static")
    static = modules.StaticEmbedding.from_model2vec(str(tmp_path / "static"))
    library.SentenceTransformer(modules=[static], device="cpu").save_pretrained(str(tmp_path / "model"))
    model = open_text_model(f"sentence-transformers:{tmp_path / 'model'}")
    assert (model.size, len(model.digest)) == (6, 64)
    expected = open_text_model(f"model2vec:{tmp_path / 'static'}").vectors(["graph law"])
    assert np.allclose(model.vectors(["graph law"]), expected, atol=1e-5)
