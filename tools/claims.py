"""The claims of the paper's section "Results and Analysis", each tested on the records."""

from collections.abc import Callable
from statistics import fmean

from highwaygraph.study.aggregate import Row, aggregate
from tools.records import DATASETS, NETWORKS, Lines, hop_lines, read

STRATEGIES = ("lead", "random", "close", "middle", "remote")
FAR = ("4", "5+", "unreachable")


def verdict(good: int, clear: int, total: int) -> str:
    """Return "confirmed" if all cells agree clearly, "partly" if most agree, else "not confirmed"."""
    words = "confirmed" if clear == total else "partly" if good > total / 2 else "not confirmed"
    return f"**{words}**: {good} of {total} cells agree, {clear} by more than two standard errors"


def conclusion(gaps: list[Row]) -> str:
    """Return whether the paired differences of these rows are above 0."""
    numbers = [(r.difference or 0.0, r.standard_error or 0.0) for r in gaps]
    mean = fmean(gap for gap, _ in numbers)
    clear = sum(gap > 2 * error for gap, error in numbers)
    return f"{verdict(sum(gap > 0 for gap, _ in numbers), clear, len(numbers))}; on average {mean:+.2f}"


def against_typical(preset: str, model: str = "") -> str:
    """Return whether a preset improves on typical training in every cell of Table 1."""
    found = read("table1")[2]
    paper = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r.paper or 0.0 for r in found}
    gaps = [r for r in found if r.setting["preset"] == preset and model in ("", r.setting["model"])]
    places = [(r.setting["dataset"], r.setting["model"]) for r in gaps]
    papers = fmean(paper[*place, preset] - paper[*place, "typical"] for place in places)
    return f"{conclusion(gaps)} (the paper: {papers:+.2f})"


def against_full(preset: str) -> str:
    """Return whether leaving a part out costs accuracy in Table 1."""
    gaps = paired_rows("table1", "full", preset)
    return conclusion(gaps).replace("on average", f"full minus `{preset}` on average")


def paired_rows(name: str, preset: str, other: str) -> list[Row]:
    """Return the rows of a preset with their paired differences to another preset of the study."""
    study, records, _ = read(name)
    compared = study.model_copy(update={"baseline": {"preset": other}})
    return [
        row for row in aggregate(compared, records) if row.setting["preset"] == preset and row.difference is not None
    ]


def remote_accuracy(lines: Lines) -> float:
    """Return the mean accuracy of remote nodes."""
    return fmean(fmean(lines[h]) for h in FAR if lines[h])


def depth() -> str:
    """Return whether accuracy decreases with distance at every depth (Figure 1)."""
    lines = hop_lines("figure1", ("network.layers",))
    falls = sum(remote_accuracy(line) < fmean(line["1"]) for line in lines.values())
    words = "confirmed" if falls == len(lines) else "partly" if falls else "not confirmed"
    text = ", ".join(
        f"{k[0]} layers {fmean(line['1']):.1f} to {remote_accuracy(line):.1f}" for k, line in lines.items()
    )
    return f"**{words}**: one hop away to remote: {text}"


def remote() -> str:
    """Return whether the pair loss improves remote nodes (Figure 5)."""
    lines = hop_lines("figure5", ("model", "pairs.weight"))
    gains = {m: remote_accuracy(lines[m, 1.0]) - remote_accuracy(lines[m, 0.0]) for m in NETWORKS}
    near = {m: fmean(lines[m, 1.0]["1"]) - fmean(lines[m, 0.0]["1"]) for m in NETWORKS}
    good = sum(gain > 0 for gain in gains.values())
    words = "confirmed" if good == len(gains) else "partly" if good > len(gains) / 2 else "not confirmed"
    text = ", ".join(f"{NETWORKS[m]} {gain:+.1f} (one hop away {near[m]:+.1f})" for m, gain in gains.items())
    return f"**{words}**: change at weight 1 for nodes 4 hops away and more: {text}"


def labels() -> str:
    """Return whether the pair loss improves accuracy at every number of labels (Table 3)."""
    return conclusion([r for r in read("table3")[2] if r.difference is not None])


def strategies() -> str:
    """Return whether random and remote pairs are the best to sample (Table 4)."""
    found = read("table4")[2]
    means = {s: fmean(r.mean for r in found if r.setting["pairs.strategy"] == s) for s in STRATEGIES}
    order = sorted(means, key=lambda s: -means[s])
    words = (
        "confirmed" if set(order[:2]) == {"random", "remote"} else "partly" if order[0] in ("random", "remote") else ""
    )
    spread = fmean(r.standard_error for r in found if r.standard_error is not None)
    text = ", ".join(f"{s} {means[s]:.2f}" for s in order)
    return f"**{words or 'not confirmed'}**: means over the sizes: {text} (s.e. of one paired difference {spread:.2f})"


def public() -> str:
    """Return whether the method exceeds the other methods of Table 2 on Cora and CiteSeer."""
    study, _, found = read("table2")
    parts, good = [], 0
    for dataset in ("cora", "citeseer"):
        best = max(study.others, key=lambda other: float(other[dataset]))
        ours = max((r for r in found if r.setting["dataset"] == dataset), key=lambda r: r.mean)
        good += ours.setting["preset"] == "full" and ours.mean > best[dataset]
        base = f"{ours.setting['model']}, {ours.setting['preset']}"
        parts.append(f"{DATASETS[dataset]} {ours.mean:.1f} ({base}), {best['method']} {best[dataset]}")
    return f"**{('not confirmed', 'partly', 'confirmed')[good]}**: best here: {'; '.join(parts)}"


def concentration() -> str:
    """Return whether the pair loss concentrates the classes and improves accuracy (Figure 4)."""
    weights = read("figure4")[0].grid["pairs.weight"]

    def means(fact: str) -> list[float]:
        records = read("figure4")[1]
        return [100 * fmean(r.facts[fact] for r in records if r.cell["pairs.weight"] == w) for w in weights]

    shares, tests = means("separation"), means("test")
    good = (shares == sorted(shares)) + (tests == sorted(tests))
    pairs = zip(weights, shares, tests, strict=True)
    text = ", ".join(f"weight {w}: {s:.1f} % of the variance between classes, test {t:.1f} %" for w, s, t in pairs)
    return f"**{('not confirmed', 'partly', 'confirmed')[good]}**: {text}"


def pair_cost() -> str:
    """Return whether the pair loss costs little."""
    return _cost("without-explicit", lambda r: r.cost.epoch_ms / (r.baseline_cost or r.cost).epoch_ms, "an epoch", 1.1)


def run_cost() -> str:
    """Return whether the whole method costs little."""
    return _cost("full", lambda r: r.cost.seconds / (r.baseline_cost or r.cost).seconds, "a whole run", 5.0)


def _cost(preset: str, ratio: Callable[[Row], float], subject: str, limit: float) -> str:
    found = [r for r in read("cost")[2] if r.setting["preset"] == preset]
    ratios = sorted(ratio(r) for r in found)
    more = fmean(r.cost.peak_mib - (r.baseline_cost or r.cost).peak_mib for r in found)
    words = "confirmed" if ratios[-1] <= limit else "partly" if fmean(ratios) <= limit else "not confirmed"
    return f"**{words}**: {subject} takes {ratios[0]:.2f} to {ratios[-1]:.2f} times typical training's, {more:+.0f} MiB"


def transfer() -> str:
    """Return whether a graph optimised with one network improves another."""
    found = read("transfer")[2]
    return conclusion([r for r in found if r.setting["source"] not in ("original", r.setting["model"])])
