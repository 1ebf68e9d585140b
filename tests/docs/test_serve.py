"""The curl commands of the page on the service, against a real process."""

import json
import os
import shutil
import subprocess

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
from tests.helpers.commands import ROOT, blocks
from tests.helpers.service import TOKEN, write_run
from tests.helpers.serving import served

PAGE = ROOT / "docs/howto/serve.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_commands_of_the_page_are_answered(tmp_path) -> None:
    lines = [line for block in blocks(PAGE, "bash") for line in block.splitlines()]
    assert len(lines) == 3
    answers = []
    with served(write_run(tmp_path), HIGHWAYGRAPH_TOKEN=TOKEN) as (_, start):
        for line in lines:
            words = ["bash", "-c", line.replace("http://127.0.0.1:8080", start["url"]).replace("curl ", "curl -sf ")]
            environment = os.environ | {"HIGHWAYGRAPH_TOKEN": TOKEN}
            answers.append(json.loads(subprocess.run(words, env=environment, capture_output=True, check=True).stdout))
    assert answers[0]["id"] == "p003"
    assert [row["id"] for row in answers[1]["predictions"]] == ["p000", "p001"]
    shown = json.loads(blocks(PAGE, "json")[0])
    assert answers[2]["findings"] == shown["findings"]
    (row,), (shown_row,) = answers[2]["predictions"], shown["predictions"]
    assert (row["id"], list(row)) == (shown_row["id"], list(shown_row))
