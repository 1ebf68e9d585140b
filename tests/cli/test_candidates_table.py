"""The table of candidates on a terminal."""

from dataclasses import replace

from highwaygraph.cli.candidates_table import candidates_table
from highwaygraph.runs.history import ROUND, Candidate
from tests.helpers.rendered import rendered
from tests.helpers.trained import named_run


def test_every_candidate_has_a_line_and_the_answer_is_marked() -> None:
    found = (
        Candidate("largest class", -1.9, -1.4, 0.1, 0.2, 0.3),
        Candidate("gradient boosting", -0.4, 0.1, 0.02, 0.9, 0.85, "80 steps", 1.25),
        Candidate(ROUND, -0.5, 0.0, 0.0, 0.8, 0.8),
    )
    text = rendered(candidates_table(replace(named_run(), candidates=found, answer="gradient boosting")), width=80)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("gradient boosting, 80 steps <") and "+0.100" in line for line in lines)
    assert "Answer: gradient boosting" in text
