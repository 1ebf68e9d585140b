import pytest
from pydantic import TypeAdapter

from highwaygraph.runtime.parsing import MAX_DEPTH, checked, parse_json, parse_toml


def test_ordinary_documents_are_parsed() -> None:
    assert parse_json(b'{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    assert parse_toml("a = [1, {b = 2}]") == {"a": [1, {"b": 2}]}


# Beyond the parser's own limit, and a depth that it accepts but that would fail later.
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 900, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_json_is_an_error_of_its_own(depth, opening, closing) -> None:
    with pytest.raises(ValueError, match=f"nested more than {MAX_DEPTH} deep"):
        parse_json(opening * depth + "1" + closing * depth)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000 + "]" * 5000, ".".join(["a"] * 500) + " = 1"])
def test_deep_toml_is_an_error_of_its_own(text) -> None:
    with pytest.raises(ValueError, match="nested more than"):
        parse_toml(text)


@pytest.mark.parametrize("text", ['["\\ud800"]', b'{"\\uDFFF": 1}'])
def test_half_a_letter_is_no_text(text) -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        parse_json(text)
    assert parse_json(r'["\ud83d\ude00"]') == ["\U0001f600"]


def test_a_value_of_another_type_is_named() -> None:
    assert checked(TypeAdapter(dict[str, float]), {"a": 1}, "file") == {"a": 1.0}
    with pytest.raises(ValueError, match=r"^file\.a should be a valid number, not '1'$"):
        checked(TypeAdapter(dict[str, float]), {"a": "1"}, "file")
