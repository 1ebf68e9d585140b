import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data.spreadsheet import quote_formula, unquote_formula

TEXT = st.text() | st.text(alphabet="'=+-@ \t\r\n\0a\ufeff\uff1d")


@given(TEXT)
def test_every_value_comes_back(text: str) -> None:
    assert unquote_formula(quote_formula(text)) == text


@pytest.mark.parametrize("before", ["", " ", "\r", "\n", "\r\n", "\t", "\u00a0", "\ufeff", " \0\r "])
@pytest.mark.parametrize("sign", "=+-@\uff1d\uff0b\uff0d\uff20")
def test_formulas_are_quoted_also_after_space(before: str, sign: str) -> None:
    assert quote_formula(f"{before}{sign}1") == f"'{before}{sign}1"


@pytest.mark.parametrize("text", ["plain", "a=b", "1e5", " indented", "", "tis'", "x\ry"])
def test_other_text_stays(text: str) -> None:
    assert quote_formula(text) == text
    assert unquote_formula(text) == text


def test_a_quote_of_the_user_stays() -> None:
    assert unquote_formula("'tis") == "'tis"
    assert quote_formula("'tis") == "''tis"
