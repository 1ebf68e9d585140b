"""A tiny model of texts, made here: every word of a small vocabulary has a vector."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

WORDS = ("graph", "neural", "network", "court", "judgment", "law")


def model2vec_folder(path: Path, seed: int = 0, size: int = 6) -> str:
    """Write a model2vec model and return its name as a text encoder."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    vocabulary = {"[UNK]": 0} | {word: i for i, word in enumerate(WORDS, 1)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.random.default_rng(seed).normal(size=(len(vocabulary), size)).astype(np.float32)
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(path)
    return f"model2vec:{path}"


def lengths(texts: list[str]) -> list[list[float]]:
    """Return two numbers per text: a function as a text encoder."""
    return [[len(text) / 10, float(text.count("a"))] for text in texts]


def papers() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return 40 papers on two topics, with text, and edges between them."""
    topics = [WORDS[:3], WORDS[3:]]
    texts = [None if n == 5 else " ".join(topics[n % 2][(n // 2 + i) % 3] for i in range(1 + n % 3)) for n in range(40)]
    texts = [text if text is None else f"{text} {n}" for n, text in enumerate(texts)]
    nodes = pd.DataFrame({"id": [f"p{n}" for n in range(40)], "label": [f"t{n % 2}" for n in range(40)], "text": texts})
    edges = pd.DataFrame({"source": [f"p{n}" for n in range(38)], "target": [f"p{n + 2}" for n in range(38)]})
    return nodes, edges
