"""Cells that are easily misread: ids, labels and features of every kind."""

import random

CONTROL = "\r\n\t\x0b\x0c\x1b\x7f\x85\u2028"
NASTY = (
    "01", "1", "007", "7", "7.0", "1e5", "100000", "True", "true", "TRUE", "NA", "None", "null", "nan", "NaN", "N/A",
    "<NA>", "#N/A", "NaT", "a,b", "a;b", 'say "x"', '"', "'", "'quoted'", "a\rb", "a\nb", "a\r\nb", "a\tb", " padded",
    "padded too ", "@user", "=1+1", "+1", "-1", "-x", "é", "e\u0301", "😀", "日本", "A", "a", "1_000", "1000", "0x1F",
    "31", "1.", "1.50", "1.5", "inf", "-inf", "Infinity", "\u0661", "1\u0661", "11", "123456789012345678",
    "123456789012345679", "99999999999999999999999", "\\", "a\\", "\\n", "#x", "/", "../x", "[1, 2]", "{}", "<b>",
    "&amp;", "%s", "\u200b1", "2020-01-01", "9999-12-31", "-0", "0", "00", "x" * 3000, "?", "''", "a'b", "null\\",
    "//x", "a\u00a0b", "NULL", "1e400", "\u0661\u0662", "1,5", "nan ", "_", "\x1b[31m", "a\u2028b", "a\x85b", "a\x0bb",
    "1 ", "o'neil",
)  # fmt: skip
LABELS = (
    ("01", "1", "2"), ("007", "7", "7.5"), ("1e5", "100000"), ("True", "true", "TRUE"), ("0", "1", "2"),
    ("123456789012345678", "123456789012345679", ""), ("NA", "None", "null", "nan", "NaN"), ("0.0", "1.0", "2.0"),
    ("1", "1.0", "2"), ("a", "b, c", 'd"e'), ("0", "1", "-1"), ("a", "b", "?"), ("=1+1", "@x", "+1"), ("1.5", "2.5"),
    ("é", "😀", "e\u0301"), ("N/A", "<NA>", "#N/A", "NaT"), ("yes", "no"), ("2020-01-01", "2020-01-02"), ("x ", " y"),
    ("inf", "-inf"), ("False", "0", "1"), ("a\rb", "a\nb"), ("1_000", "1000"), ("unknown", "a"), ("00", "0", "000"),
    ("[a]", "[b]"), ("'x", "''x", "x"), ("-2", "-1", "3"), ("3", "5", ""), ("1.10", "1.1"), ("0", "", "1"),
)  # fmt: skip
NAMES = (
    "u", "v", "from", "to", "source", "target_price", "name", "weight", "size", "open", "since", "kind", "note", "tags",
    "place", "1", "2.0", "x y", 'quo"te', "a, b; c", "é😀", "NaN", "true", "src", "dst", "node", "group", "_", "w",
)  # fmt: skip
GAPS = ("", "", "NA", "nan", "NULL", "#N/A", "n/a", "<NA>", "None")
FEATURES = {
    "whole": ("0", "1", "5", "-3", "12", "100000", "+4"),
    "number": ("1e5", "100000", "-3.25", "0.5", ".5", "5.", "1E-3", " 7 ", "123456789012345678", "0", "-0"),
    "zeros": ("0", "0", "0", "1"),
    "flag": ("True", "False", "true", "false", "TRUE", "FALSE"),
    "date": ("2020-01-31", "1969-12-31", "2001-02-03T04:05", "2001-02-03 04:05:06", "1900-03-01"),
    "far date": ("2020-01-31", "9999-12-31", "0001-01-01", "1600-02-29", "2262-04-12"),
    "code": ("01", "02", "1"),
    "category": ("red", "blue", "NA", "01", "1", "None", "True"),
    "mixed": ("1", "2", "x"),
    "european": ("1.234,56", "2,5", "7"),
    "nasty": tuple(cell for cell in NASTY[:40] if cell != "NaT"),
    "flag and word": ("True", "False", "no"),
    "text": ("some words here", "more of the words", "other, quite other", "say \"what\"\nand more", "NA none null"),
    "list": ('["a", "b"]', '["b"]', "[c, d e]", '["x, y", "A"]', "['a', 'b']"),
    "vector": ("[1, 2.5]", "[0, -1]", "[3e2, 4]", "[5,6]"),
}  # fmt: skip


def _drawable(cells: tuple[str, ...], *, plain_text: bool) -> list[str]:
    return [cell for cell in cells if not plain_text or not set(cell) & set(CONTROL)]


def ids(rng: random.Random, count: int, *, plain_text: bool = False) -> list[str]:
    """Return cells of ids, no two of the same meaning."""
    match rng.randrange(7):
        case 0:
            return [str(i) for i in range(count)]
        case 1:
            return [str(i) for i in rng.sample(range(-50, 10**6), count)]
        case 2:
            return [f"{i}.0" for i in rng.sample(range(1000), count)]
        case 3:
            return [str(10**17 + i) for i in rng.sample(range(3 * count), count)]
        case 4:
            return [f"{i:03d}" for i in range(count)]
        case 5 if not plain_text and rng.random() < 0.05:
            return [*(f"p{i}" for i in range(count - 1)), "long" * 35_000]
        case _:
            distinct = {cell.strip(): cell for cell in _drawable(NASTY, plain_text=plain_text)}
            return rng.sample(sorted(distinct.values()), count)


def labels(rng: random.Random, count: int, *, plain_text: bool = False) -> list[str]:
    """Return cells of labels, some of them empty."""
    drawn = _drawable(rng.choice(LABELS), plain_text=plain_text) or ["a", "b"]
    return [rng.choice(drawn) if rng.random() < 0.8 else rng.choice((drawn[0], "")) for _ in range(count)]


def columns(rng: random.Random, count: int, *, plain_text: bool = False) -> dict[str, list[str]]:
    """Return cells of features by name of the column."""
    names = rng.sample(NAMES, rng.choice((2, 3, 5, 8)))
    return {name: _column(rng, rng.choice(sorted(FEATURES)), count, plain_text=plain_text) for name in names}


def _column(rng: random.Random, kind: str, count: int, *, plain_text: bool) -> list[str]:
    drawn = _drawable(FEATURES[kind], plain_text=plain_text)
    gaps = GAPS if kind in ("whole", "number", "zeros") else ("",)
    share = rng.choice((0.0, 0.0, 0.2))
    return [rng.choice(gaps) if rng.random() < share else rng.choice(drawn) for _ in range(count)]
