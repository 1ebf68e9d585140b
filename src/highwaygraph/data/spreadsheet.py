"""Text cells of tables that a spreadsheet may open: one that it would evaluate as a formula begins with a quote."""

import re

# A spreadsheet evaluates a cell that begins with = + - or @ (or their full-width forms), also after space that it
# drops. Text that begins with a quote gets another one, so that every cell has one value.
EVALUATED = re.compile("['\t\r\n\0\ufeff]|[\\s\0\ufeff]*[-=+@\uff1d\uff0b\uff0d\uff20]")


QUOTE = "'"


def quote_formula(text: str) -> str:
    """Return the text of a cell, with a quote before it where a spreadsheet could evaluate it.

    Args:
        text: The value of the cell.

    Returns:
        The text to write.

    Example:
        >>> quote_formula("=1+1"), quote_formula(" @user"), quote_formula("plain")
        ("'=1+1", "' @user", 'plain')
    """
    return QUOTE + text if EVALUATED.match(text) else text


def unquote_formula(text: str) -> str:
    """Return the value of a cell that `quote_formula` wrote; a quote of any other origin stays.

    Args:
        text: The text of the cell.

    Returns:
        The value.

    Example:
        >>> unquote_formula("'=1+1"), unquote_formula("'tis")
        ('=1+1', "'tis")
    """
    return text[1:] if text.startswith(QUOTE) and EVALUATED.match(text, 1) else text
