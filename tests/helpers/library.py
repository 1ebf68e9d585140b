"""A generated library: the field of a paper is visible through its authors and its venue only."""

from pathlib import Path

import torch
from torch_geometric.data import HeteroData
from torch_geometric.transforms import ToUndirected

FIELDS = ("biology", "history", "physics")


def library(papers: int = 240, seed: int = 0, *, cites: bool = False) -> HeteroData:
    """Return papers with features of noise, authors with a hint of their field, and venues without features."""
    draw = torch.Generator().manual_seed(seed)
    authors, venues, fields = papers // 3, 9, len(FIELDS)
    data = HeteroData()
    data["paper"].x, data["paper"].y = torch.randn(papers, 6, generator=draw), torch.arange(papers) % fields
    data["paper"].ids = [f"p{number}" for number in range(papers)]
    data["paper"].classes = list(FIELDS)
    data["author"].x = torch.randn(authors, 4, generator=draw)
    data["author"].x[torch.arange(authors), torch.arange(authors) % fields] += 3
    data["venue"].num_nodes = venues
    # Node k of every type is of field k mod 3.
    wrote = torch.randint(authors // fields, (2 * papers,), generator=draw) * fields + data["paper"].y.repeat(2)
    data["author", "writes", "paper"].edge_index = torch.stack([wrote, torch.arange(papers).repeat(2)])
    venue = torch.randint(venues // fields, (papers,), generator=draw) * fields + data["paper"].y
    data["paper", "in", "venue"].edge_index = torch.stack([torch.arange(papers), venue])
    data = ToUndirected()(data)
    if cites:
        data["paper", "cites", "paper"].edge_index = torch.randint(papers, (2, papers), generator=draw)
    return data


def write_library(folder: Path, papers: int = 120, seed: int = 0) -> HeteroData:
    """Write the library as a table per node type and a table per relation, and return it."""
    data = library(papers, seed)
    folder.mkdir()
    rows = zip(data["paper"].ids, data["paper"].y.tolist(), data["paper"].x.tolist(), strict=True)
    text = [f"{name},{FIELDS[field]},{','.join(map(str, x))}" for name, field, x in rows]
    (folder / "nodes.paper.csv").write_text("\n".join(["id,field,a,b,c,d,e,f", *text]) + "\n")
    text = ["\t".join(map(str, (number, *x))) for number, x in enumerate(data["author"].x.tolist())]
    (folder / "nodes.author.tsv").write_text("\n".join(["id\tq\tr\ts\tt", *text]) + "\n")
    (folder / "nodes.venue.csv").write_text("\n".join(["name", *(f"venue {number}" for number in range(9))]) + "\n")
    wrote, place = data["author", "writes", "paper"].edge_index, data["paper", "in", "venue"].edge_index
    lines = [f"p{paper},{author}" for author, paper in wrote.T.tolist()]
    (folder / "edges.author.writes.paper.csv").write_text("\n".join(["paper,author", *lines]) + "\n")
    lines = [f"p{paper},venue {venue}" for paper, venue in place.T.tolist()]
    (folder / "edges.paper.in.venue.csv").write_text("\n".join(["source,target", *lines]) + "\n")
    return data


def write_sites(folder: Path) -> None:
    """Write four graphs of six nodes each in two tables, the graph in the column site."""
    folder.mkdir()
    rows = [f"{site}{number},{site},{'ab'[number % 2]},{number}" for site in "nesw" for number in range(6)]
    (folder / "nodes.csv").write_text("\n".join(["id,site,label,size", *rows]) + "\n")
    edges = [f"{site}{number},{site}{number + 1}" for site in "nesw" for number in range(5)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n")
