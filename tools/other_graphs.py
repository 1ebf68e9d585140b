"""Write docs/other-graphs.md from results/zoo.jsonl and results/tables.jsonl: `plus`, typical and simple baselines.

`highway study zoo` and `highway study tables` write the records.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

from highwaygraph.nn.baselines.fit import BASELINES
from highwaygraph.runs.history import ROUND
from highwaygraph.study.aggregate import paired_difference
from highwaygraph.study.records import Record
from highwaygraph.study.spec import cell_key, cells
from tools.pages import ROOT, fill_template, table
from tools.records import NETWORKS, read

PAGE = ROOT / "docs/other-graphs.md"
STUDIES = ("zoo", "tables")
Scores = dict[tuple[int, int], float]
"""Test accuracies in per cent by split and seed."""


class Gap(NamedTuple):
    """A mean paired difference in points, and its standard error over splits; None with one split."""

    mean: float
    error: float | None

    @property
    def is_behind(self) -> bool:
        """Whether the difference is negative by more than its standard error."""
        return self.error is not None and self.mean < -self.error

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({'-' if self.error is None else f'{self.error:.1f}'})"


class Line(NamedTuple):
    """One graph with one network."""

    dataset: str
    model: str
    typical: Scores
    plus: Scores
    rounds: Scores
    """The selected round of `plus` alone."""
    baselines: dict[str, Scores]
    answers: Counter[str]

    @property
    def title(self) -> str:
        """The graph and the network."""
        return f"{self.dataset.partition('/')[2]}, {NETWORKS[self.model]}"

    @property
    def best_baseline(self) -> str:
        """The simple baseline with the best mean test accuracy, empty without any."""
        return max(self.baselines, key=lambda name: fmean(self.baselines[name].values()), default="")


def gap(scores: Scores, others: Scores) -> Gap | None:
    """Return the paired difference of two settings over the runs that both have, None without such runs."""
    mean, error = paired_difference(scores, others)
    # Seeds of a single split are no sample of splits.
    is_single = len({split for split, _ in scores.keys() & others.keys()}) < 2
    return None if mean is None else Gap(mean, None if is_single else error)


def lines(records: Iterable[Record]) -> list[Line]:
    """Return a line per graph and network, sorted by name."""
    found: dict[tuple[str, str], Line] = {}
    for cell, facts in ((record.cell, record.facts) for record in records if record.facts["test"] is not None):
        key, run = (cell["dataset"], cell["model"]), (cell["split"], cell["seed"])
        line = found.setdefault(key, Line(*key, {}, {}, {}, defaultdict(dict), Counter()))
        (line.plus if cell["preset"] == "plus" else line.typical)[run] = 100 * facts["test"]
        if cell["preset"] == "plus":
            line.answers[facts.get("answer", "")] += 1
            for one in facts.get("candidates", []):
                if one["test"] is not None and one["name"] in (ROUND, *BASELINES):
                    scores = line.rounds if one["name"] == ROUND else line.baselines[one["name"]]
                    scores[run] = 100 * one["test"]
    return sorted((line for line in found.values() if line.typical and line.plus), key=lambda line: line[:2])


def behind(line: Line) -> list[str]:
    """Return a phrase for everything that `plus` is behind by more than one standard error."""
    rivals = {"typical training": line.typical, line.best_baseline: line.baselines.get(line.best_baseline, {})}
    gaps = {name: gap(line.plus, scores) for name, scores in rivals.items()}
    return [f"{name} {found}" for name, found in gaps.items() if found is not None and found.is_behind]


def results_table(found: list[Line]) -> str:
    """Return the table of a study; graphs where `plus` is behind are marked."""
    names = list(dict.fromkeys(name for line in found for name in line.baselines))
    answers = any(answer for line in found for answer in line.answers)
    heads = ["graph, network", "typical", "`plus`", *["round alone"] * bool(names), *names, "`plus` - typical (s.e.)"]
    heads += ["`plus` - best baseline (s.e.)"] * bool(names) + ["answers"] * answers
    return table(heads, [_cells(line, names, answers=answers) for line in found])


def behind_list(found: list[Line]) -> str:
    """Return the list of graphs where `plus` is behind, or a word where there is none; one split decides nothing."""
    rows = [f"- **{line.title}**: {', '.join(parts)}" for line in found if (parts := behind(line))]
    single = [line.title for line in found if len({split for split, _ in line.plus}) == 1]
    unknown = [f"One split was run, which decides nothing: {'; '.join(single)}."] if single else []
    return "\n\n".join(["\n".join(rows) or "None.", *unknown])


def section(name: str) -> str:
    """Return the table of a study with the list of graphs where `plus` is behind."""
    study, records, _ = read(name)
    found, wanted = lines(records), {cell_key(cell) for cell in cells(study)}
    if not found:
        return f"The study has not been run with this version; `highway study {name}` runs it."
    done = len(wanted & {cell_key(record.cell) for record in records})
    notes = [f"This table is not complete: {done:,} of {len(wanted):,} runs are done."] if done < len(wanted) else []
    gains = [one.mean for line in found if (one := gap(line.plus, line.typical)) is not None]
    notes.append(
        f"Mean difference of `plus` to typical training over the {len(gains)} rows: {fmean(gains):+.1f} points."
    )
    head = "`plus` is behind typical training or the best simple baseline by more than one standard error on:"
    return "\n\n".join([*notes, results_table(found), head, behind_list(found)])


def page() -> str:
    """Return the text of the page."""
    return fill_template("other_graphs", {name: section(name) for name in STUDIES})


def _cells(line: Line, names: list[str], *, answers: bool) -> list[str]:
    mark = " *" if behind(line) else ""
    scores = [line.typical, line.plus, *[line.rounds] * bool(names), *(line.baselines.get(n, {}) for n in names)]
    cells = [f"{line.title}{mark}", *map(_mean, scores), _shown(gap(line.plus, line.typical))]
    if names:
        cells.append(_shown(gap(line.plus, line.baselines.get(line.best_baseline, {}))))
    counts = ", ".join(f"{name or 'not recorded'} {count}" for name, count in line.answers.most_common())
    return cells + [counts] * answers


def _mean(scores: Scores) -> str:
    return f"{fmean(scores.values()):.1f}" if scores else "-"


def _shown(found: Gap | None) -> str:
    return "-" if found is None else str(found)


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
