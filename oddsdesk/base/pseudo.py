"""The pseudo-locale: English that shows what is not translated and what has too little room."""

import re
from functools import cache
from gettext import NullTranslations
from typing import Final

from oddsdesk.base.places import resource_path

_PLACEHOLDER: Final = re.compile(r"(\{[^{}]*\}|&(?=\w))")
"""A value to fill in, or the mark of a key in a menu; both stay as they are."""
_ACCENTS: Final = str.maketrans("aeiounycAEIOUNYC", "áéíóúñýçÁÉÍÓÚÑÝÇ")
_LONGER: Final = 0.4


class PseudoTranslations(NullTranslations):
    """Translates what is in the list of texts, and no other text."""

    def gettext(self, message: str) -> str:
        """Return the text with accents, in brackets and 40 % longer."""
        return pseudo(message) if message in all_texts() else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a count."""
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        """Return the text, whatever its context."""
        return self.gettext(message)


def pseudo(text: str) -> str:
    """Return a text with accents, in brackets and 40 % longer; ``{placeholders}`` stay."""
    if not text.strip():
        return text
    parts = _PLACEHOLDER.split(text)
    letters = sum(len(part) for part in parts[::2])
    parts[::2] = [part.translate(_ACCENTS) for part in parts[::2]]
    return f"[{''.join(parts)}{'·' * max(0, round(letters * _LONGER) - 2)}]"


def is_pseudo(text: str) -> bool:
    """Return whether a shown text came from the pseudo-locale, at least in part."""
    return "[" in text and "]" in text


@cache
def all_texts() -> frozenset[str]:
    """Return the texts of ``oddsdesk.pot``, which only a checkout has."""
    found: set[str] = set()
    entry: list[str] = []
    for line in resource_path("locale", "oddsdesk.pot").read_text("utf-8").splitlines():
        if line.startswith(("msgid", "msgstr", "msgctxt")):
            found.add("".join(entry))
            entry = []
        if line.startswith("msgid") or (entry and line.startswith('"')):
            entry.append(_unquoted(line))
    return frozenset(found)


def _unquoted(line: str) -> str:
    quoted = line[line.index('"') + 1 : -1]
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], quoted)
