"""Texts that no spreadsheet takes for a formula."""

from typing import Final

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the start of a formula, full-width signs included."""


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula: an apostrophe goes before one."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def as_written(text: str) -> str:
    """Return a text as it was before ``safe_text``."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA_STARTS) else text
