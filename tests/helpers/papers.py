"""A graph as people have it, in two files: words as ids, gaps, a category, a text, edges twice and into nowhere."""

from pathlib import Path

from tests.helpers.graphs import block_graph


def write_papers(folder: Path, label: str = "topic") -> str:
    """Write nodes.csv and edges.csv into the folder and return its path."""
    data = block_graph()
    folder.mkdir(parents=True)
    lines = [f"paper,{label},kind,text,score"]
    for i, own in enumerate(data.y.tolist()):
        shown = "" if i % 4 == 3 else f"topic {own}"
        lines.append(f"p{i:03d},{shown},{_kind(own)},some words on {own} and {i},{own + i % 3 if i % 5 else ''}")
    (folder / "nodes.csv").write_text("\n".join(lines) + "\n")
    pairs = [f"p{a:03d},p{b:03d}" for a, b in data.edge_index.T.tolist()]
    (folder / "edges.csv").write_text("\n".join(["from,to", *pairs, "p000,nobody", "p001,p001"]) + "\n")
    return str(folder)


def write_new_papers(folder: Path) -> str:
    """Write three nodes that are new and their edges, all of them to nodes of the first topic."""
    folder.mkdir(parents=True)
    rows = [f"n{i},{_kind(0)},some words on 0 and {i},1" for i in range(3)]
    (folder / "nodes.csv").write_text("\n".join(["paper,kind,text,score", *rows]) + "\n")
    pairs = [f"n{i},p{j:03d}" for i in range(2) for j in range(0, 40, 10)]
    (folder / "edges.csv").write_text("\n".join(["from,to", *pairs]) + "\n")
    return str(folder)


def _kind(label: int) -> str:
    return "abc"[label]
