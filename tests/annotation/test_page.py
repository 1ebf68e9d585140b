"""The page: its policy, and text from data as text."""

import json
import re

from highwaygraph.annotation.page import label_page
from tests.helpers.annotation import cold_graph, new_workspace

NASTY = "</script><img src=x onerror=alert(1)>"


def test_the_page_holds_the_graph_and_connects_to_its_own_server_only(tmp_path) -> None:
    graph = cold_graph()
    graph.name = NASTY
    graph.ids = [NASTY, *graph.ids[1:]]
    page = label_page(new_workspace(tmp_path, graph))
    policy = re.search('Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src &#39;none&#39;")
    assert policy.endswith("connect-src &#39;self&#39;")
    assert "<img" not in page
    document = re.search(r'id="graph-data">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(document)["ids"][0] == NASTY
    assert not re.search(r'(?:src|href)="(?!data:)', page)
