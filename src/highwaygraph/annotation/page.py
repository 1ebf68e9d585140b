"""The labelling page as HTML, with the viewer of the report as its map."""

from pathlib import Path
from typing import TYPE_CHECKING

from highwaygraph.annotation.keys import COMMANDS
from highwaygraph.report import html

if TYPE_CHECKING:
    from highwaygraph.annotation.workspace import Workspace

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = tuple(ASSETS / name for name in ("dom.js", "curve.js", "node.js", "unsent.js", "label.js"))
FILES = html.PageFiles(ASSETS, SCRIPTS, (ASSETS / "label.css",), connects=True)


def label_page(workspace: "Workspace") -> str:
    """Return the page of a session; it contains the graph, and scripts that send requests to its server only."""
    graph, trainer = workspace.graph, workspace.trainer
    values = {
        "title": f"Label {graph.title}",
        "labels_file": workspace.store.path.name,
        "commands": COMMANDS,
        "every": workspace.every,
        "has_viewer": html.has_viewer(),
    }
    documents = {
        "graph-data": workspace.map.document(workspace.session, trainer.predictions),
        "label-options": {
            "commands": COMMANDS,
            "labels_file": workspace.store.path.name,
            "answers": workspace.identity.answers,
            "graph": workspace.identity.graph,
        },
    }
    return html.render("label.html", values, documents, viewer=True, files=FILES)
