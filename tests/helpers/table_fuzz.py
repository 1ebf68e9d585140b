"""Tables with known truth, written in a dialect, read, and compared value by value.

One case again: python -m tests.helpers.table_fuzz SEED DIALECT READER
Many: python -m tests.helpers.table_fuzz COUNT
"""

import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import highwaygraph as hg
from highwaygraph.errors import HighwayError
from tests.helpers.table_compare import differences
from tests.helpers.table_dialects import CLEAN, DIALECTS, Source, shuffled
from tests.helpers.table_later import LATER, later_dialect
from tests.helpers.table_refused import FLAWS
from tests.helpers.table_truth import Truth, expected, generate

AGAIN = "python -m tests.helpers.table_fuzz SEED DIALECT READER"


class Case(NamedTuple):
    """One pair of tables: they are generated from the seed, written in the dialect, and read."""

    seed: int
    dialect: str
    reader: str


def _load(source: Source, truth: Truth, folder: Path) -> Any:
    return hg.load(source.source, source.edges, **truth.options)


def _convert(source: Source, truth: Truth, folder: Path) -> Any:
    return hg.convert(source.source, folder / "converted", source.edges, **truth.options)


def _reopen(source: Source, truth: Truth, folder: Path) -> Any:
    log = _convert(source, truth, folder).read_log
    graph = hg.load(folder / "converted")
    graph.read_log = log
    return graph


READERS: dict[str, Callable[[Source, Truth, Path], Any]] = {"load": _load, "convert": _convert, "reopen": _reopen}


def cases(count: int, start: int = 0) -> Iterator[Case]:
    """Yield cases, every dialect with every reader in turn."""
    ways = [(dialect, reader) for dialect in (*DIALECTS, *CLEAN) for reader in (*READERS, *LATER)]
    ways += [(dialect, flaw) for dialect in ("csv", "csv-semicolon", "tsv", "csv-all", "csv-gz") for flaw in FLAWS]
    random.Random(0).shuffle(ways)
    for number in range(start, start + count):
        yield Case(number, *ways[number % len(ways)])


def check(case: Case) -> str:
    """Return what was read otherwise than written, empty where nothing was; its kind comes before a colon."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return next(_check(case, Path(place)), "")
        except HighwayError as error:
            return f"refused: {error}"
        except Exception as error:
            return f"traceback: {type(error).__name__}: {error}"


def _check(case: Case, folder: Path) -> Iterator[str]:
    rng = random.Random(f"case {case}")
    truth = generate(case.seed, clean=case.dialect in CLEAN, plain_text=case.dialect == "graphml")
    truth = shuffled(truth, rng) if rng.random() < 0.3 else truth
    if case.dialect in CLEAN:
        # The node itself is the id there.
        truth.options.pop("id", None)
    if case.reader in FLAWS:
        yield from FLAWS[case.reader](truth, case.dialect, folder, rng)
        return
    write = (DIALECTS | CLEAN)[case.dialect]
    if case.reader in LATER:
        yield from LATER[case.reader](truth, write, later_dialect(case.dialect, write, rng), folder, rng)
        return
    source = write(truth, folder, rng)
    graph = READERS[case.reader](source, truth, folder)
    yield from differences(graph, expected(truth), loose=source.loose)


def run(chosen: Iterable[Case]) -> Iterator[tuple[Case, str]]:
    """Yield every case with its first difference, empty where there is none."""
    for case in chosen:
        yield case, check(case)


def _main(arguments: list[str]) -> None:
    if len(arguments) == 3:
        print(check(Case(int(arguments[0]), *arguments[1:])) or "no difference")  # noqa: T201
        return
    kinds: Counter[str] = Counter()
    for case, found in run(cases(int(arguments[0]))):
        kinds[found.split(":")[0] if found else "same"] += 1
        if found:
            print(" ".join(map(str, case)), "|", found.replace("\n", "\\n")[:300])  # noqa: T201
    print(dict(kinds))  # noqa: T201


if __name__ == "__main__":
    _main(sys.argv[1:])
