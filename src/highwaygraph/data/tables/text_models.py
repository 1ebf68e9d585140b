"""Models that turn texts into vectors: model2vec, sentence-transformers, or any function.

Models are loaded from a folder or from the cache of Hugging Face, never from the network, and only if their weights are
safetensors. A model is recorded as its name, the digest of its files and, for a function, the vector of a fixed text.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highwaygraph.errors import DataError
from highwaygraph.runtime.environment import require_extra

Vectors = NDArray[np.float32]


Encode = Callable[[list[str]], Any]


MODEL2VEC, SENTENCE_TRANSFORMERS, FUNCTION = "model2vec", "sentence-transformers", "function"


PROBE = "HighwayGraph compares encoders by this sentence."
"""A text whose vector identifies a function."""


# Files of a model that decide its vectors.
SUFFIXES = (".json", ".safetensors", ".txt", ".model")


class TextModel(NamedTuple):
    """A model with its vectors' length and the values that identify it."""

    source: str
    """`model2vec:PATH`, `sentence-transformers:NAME` or `function:NAME`."""
    encode: Encode
    size: int
    digest: str = ""
    """SHA-256 of the model's files; empty for a function."""
    probe: tuple[float, ...] = ()
    """Vector of PROBE, for a function."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text; refuse what is no table of finite numbers."""
        try:
            found = np.asarray(self.encode(list(texts)), dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise DataError(f"{self.source} has to return one list of numbers per text ({error}).") from error
        width = self.size or found.shape[-1] if found.ndim == 2 else 0
        if found.shape != (len(texts), width) or not np.isfinite(found).all():
            shape = " x ".join(map(str, found.shape))
            raise DataError(
                f"{self.source} returned {shape} numbers for {len(texts)} texts, or some that are not finite: it has "
                f"to return {self.size or 'equally many'} finite numbers per text."
            )
        return found


def open_text_model(given: Any) -> TextModel:
    """Return the model of a name, or of a function.

    Args:
        given: `model2vec:PATH`, `sentence-transformers:NAME`, or a function from a list of texts to an array with a row
            per text.

    Raises:
        DataError: There is no such model here, or the function returns something else.
    """
    if isinstance(given, str):
        return _open_named(given)
    if not callable(given):
        raise DataError(f"text_encoder takes a name or a function, not {type(given).__name__}.")
    name = getattr(given, "__qualname__", type(given).__qualname__)
    probed = TextModel(f"{FUNCTION}:{name}", given, 0).vectors([PROBE])[0]
    return TextModel(f"{FUNCTION}:{name}", given, len(probed), probe=tuple(round(float(v), 6) for v in probed))


@lru_cache(maxsize=4)
def _open_named(source: str) -> TextModel:
    kind, _, name = source.partition(":")
    if kind not in _LOADERS or not name:
        raise DataError(
            f"There is no text encoder {source!r}: use model2vec:PATH or sentence-transformers:NAME, or pass a "
            "function to hg.load as text_encoder."
        )
    # The package first: a missing one is the more likely reason.
    module = require_extra(kind.replace("-", "_"), f"--text {kind}", "text")
    folder = _folder(kind, name)
    encode = _LOADERS[kind](module, folder)
    size = int(np.asarray(encode([PROBE])).shape[-1])
    place = folder.resolve() if Path(name).expanduser().is_dir() else name
    return TextModel(f"{kind}:{place}", encode, size, digest=_digest(folder))


def _folder(kind: str, name: str) -> Path:
    """Return the folder of a model: the path itself, or that of a downloaded model of this name."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if folder.is_absolute() or name.startswith("."):
            # No model of Hugging Face has such a name.
            raise DataError(f"There is no folder {name}: name the place of the model with --text {kind}:PATH.")
        hub = require_extra("huggingface_hub", "A model of a name", "text")
        try:
            folder = Path(hub.snapshot_download(name, local_files_only=True))
        except Exception as error:
            # The library has a dozen errors for a name that is invalid or not in the cache.
            raise DataError(
                f"There is no folder {name} and no downloaded model of this name: name the place of the model with "
                f"--text {kind}:PATH, or download it first with hf download {name}."
            ) from error
    if not any(folder.rglob("*.safetensors")):
        raise DataError(f"{name} has no weights in the format safetensors, and others are not read: convert it.")
    return folder


def _digest(folder: Path) -> str:
    """Return one checksum of a model's files and their names."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in SUFFIXES):
        total.update(str(path.relative_to(folder)).encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def _load_model2vec(module: Any, folder: Path) -> Encode:
    with _explained(folder):
        model = module.StaticModel.from_pretrained(folder)
    return lambda texts: model.encode(texts, show_progress_bar=False)


def _load_sentence_transformers(module: Any, folder: Path) -> Encode:
    with _explained(folder):
        model = module.SentenceTransformer(str(folder), local_files_only=True, device="cpu")
    return lambda texts: model.encode(texts, show_progress_bar=False, convert_to_numpy=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn any failure to load a model into one sentence."""
    try:
        yield
    except Exception as error:
        # A damaged model fails in any way inside the libraries.
        what = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{folder} cannot be read as a model of texts: {what}.") from error


_LOADERS = {MODEL2VEC: _load_model2vec, SENTENCE_TRANSFORMERS: _load_sentence_transformers}
