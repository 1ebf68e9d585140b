"""The paper's claims of its section "Results and Analysis", each judged by the records."""

from collections.abc import Callable
from statistics import fmean

from highwaygraph.study.aggregate import Row, aggregate
from tools.records import DATASETS, NETWORKS, Lines, hop_lines, read

STRATEGIES = ("lead", "random", "close", "middle", "remote")
FAR = ("4", "5+", "unreachable")


def verdict(good: int, clear: int, total: int) -> str:
    """Return confirmed, partly or not: all cells agree clearly, most agree, or fewer."""
    words = "confirmed" if clear == total else "partly" if good > total / 2 else "not confirmed"
    return f"**{words}**: {good} of {total} cells agree, {clear} by more than two standard errors"


def judged(gaps: list[Row]) -> str:
    """Judge that the paired differences of these rows are above 0."""
    numbers = [(r.difference or 0.0, r.standard_error or 0.0) for r in gaps]
    mean = fmean(gap for gap, _ in numbers)
    clear = sum(gap > 2 * error for gap, error in numbers)
    return f"{verdict(sum(gap > 0 for gap, _ in numbers), clear, len(numbers))}; on average {mean:+.2f}"


def against_typical(preset: str, model: str = "") -> str:
    """Judge that a preset beats typical training in every cell of Table 1."""
    found = read("table1")[2]
    paper = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r.paper or 0.0 for r in found}
    gaps = [r for r in found if r.setting["preset"] == preset and model in ("", r.setting["model"])]
    places = [(r.setting["dataset"], r.setting["model"]) for r in gaps]
    said = fmean(paper[*place, preset] - paper[*place, "typical"] for place in places)
    return f"{judged(gaps)} (the paper: {said:+.2f})"


def against_full(preset: str) -> str:
    """Judge that leaving a part out costs accuracy in Table 1."""
    gaps = between("table1", "full", preset)
    return judged(gaps).replace("on average", f"full minus `{preset}` on average")


def between(name: str, preset: str, other: str) -> list[Row]:
    """Return a preset's rows with their differences, run by run, to another preset of the study."""
    study, records, _ = read(name)
    beside = study.model_copy(update={"baseline": {"preset": other}})
    return [row for row in aggregate(beside, records) if row.setting["preset"] == preset and row.difference is not None]


def far(lines: Lines) -> float:
    """Return the mean accuracy of remote nodes."""
    return fmean(fmean(lines[h]) for h in FAR if lines[h])


def depth() -> str:
    """Judge that accuracy falls with distance at every depth (Figure 1)."""
    lines = hop_lines("figure1", ("network.layers",))
    falls = sum(far(line) < fmean(line["1"]) for line in lines.values())
    words = "confirmed" if falls == len(lines) else "partly" if falls else "not confirmed"
    said = ", ".join(f"{k[0]} layers {fmean(line['1']):.1f} to {far(line):.1f}" for k, line in lines.items())
    return f"**{words}**: one hop away to remote: {said}"


def remote() -> str:
    """Judge that the pair loss helps remote nodes (Figure 5)."""
    lines = hop_lines("figure5", ("model", "pairs.weight"))
    gains = {m: far(lines[m, 1.0]) - far(lines[m, 0.0]) for m in NETWORKS}
    near = {m: fmean(lines[m, 1.0]["1"]) - fmean(lines[m, 0.0]["1"]) for m in NETWORKS}
    good = sum(gain > 0 for gain in gains.values())
    words = "confirmed" if good == len(gains) else "partly" if good > len(gains) / 2 else "not confirmed"
    said = ", ".join(f"{NETWORKS[m]} {gain:+.1f} (one hop away {near[m]:+.1f})" for m, gain in gains.items())
    return f"**{words}**: change at weight 1 for nodes 4 hops away and more: {said}"


def labels() -> str:
    """Judge that the pair loss helps at every number of labels (Table 3)."""
    return judged([r for r in read("table3")[2] if r.difference is not None])


def strategies() -> str:
    """Judge that random and remote pairs are the best to sample (Table 4)."""
    found = read("table4")[2]
    means = {s: fmean(r.mean for r in found if r.setting["pairs.strategy"] == s) for s in STRATEGIES}
    order = sorted(means, key=lambda s: -means[s])
    words = (
        "confirmed" if set(order[:2]) == {"random", "remote"} else "partly" if order[0] in ("random", "remote") else ""
    )
    spread = fmean(r.standard_error for r in found if r.standard_error is not None)
    said = ", ".join(f"{s} {means[s]:.2f}" for s in order)
    return f"**{words or 'not confirmed'}**: means over the sizes: {said} (s.e. of one paired difference {spread:.2f})"


def public() -> str:
    """Judge that the method passes the other methods of Table 2 on Cora and CiteSeer."""
    study, _, found = read("table2")
    parts, good = [], 0
    for dataset in ("cora", "citeseer"):
        best = max(study.others, key=lambda other: float(other[dataset]))
        ours = max((r for r in found if r.setting["dataset"] == dataset), key=lambda r: r.mean)
        good += ours.setting["preset"] == "full" and ours.mean > best[dataset]
        base = f"{ours.setting['model']}, {ours.setting['preset']}"
        parts.append(f"{DATASETS[dataset]} {ours.mean:.1f} ({base}) beside {best['method']}'s {best[dataset]}")
    return f"**{('not confirmed', 'partly', 'confirmed')[good]}**: best here: {'; '.join(parts)}"


def concentration() -> str:
    """Judge that classes grow more concentrated, and accuracy better, with the pair loss (Figure 4)."""
    weights = read("figure4")[0].grid["pairs.weight"]

    def means(fact: str) -> list[float]:
        records = read("figure4")[1]
        return [100 * fmean(r.facts[fact] for r in records if r.cell["pairs.weight"] == w) for w in weights]

    shares, tests = means("separation"), means("test")
    good = (shares == sorted(shares)) + (tests == sorted(tests))
    pairs = zip(weights, shares, tests, strict=True)
    said = ", ".join(f"weight {w}: {s:.1f} % of the variance between classes, test {t:.1f} %" for w, s, t in pairs)
    return f"**{('not confirmed', 'partly', 'confirmed')[good]}**: {said}"


def pair_cost() -> str:
    """Judge that pair loss costs little."""
    return _cost("without-explicit", lambda r: r.cost.epoch_ms / (r.baseline_cost or r.cost).epoch_ms, "an epoch", 1.1)


def run_cost() -> str:
    """Judge that the whole method costs little."""
    return _cost("full", lambda r: r.cost.seconds / (r.baseline_cost or r.cost).seconds, "a whole run", 5.0)


def _cost(preset: str, ratio: Callable[[Row], float], what: str, limit: float) -> str:
    found = [r for r in read("cost")[2] if r.setting["preset"] == preset]
    ratios = sorted(ratio(r) for r in found)
    more = fmean(r.cost.peak_mib - (r.baseline_cost or r.cost).peak_mib for r in found)
    words = "confirmed" if ratios[-1] <= limit else "partly" if fmean(ratios) <= limit else "not confirmed"
    return f"**{words}**: {what} takes {ratios[0]:.2f} to {ratios[-1]:.2f} times typical training's, {more:+.0f} MiB"


def transfer() -> str:
    """Judge that a graph optimised with one network helps another."""
    found = read("transfer")[2]
    return judged([r for r in found if r.setting["source"] not in ("original", r.setting["model"])])
