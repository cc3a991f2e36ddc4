"""The language of what people read: texts are written in English and translated by gettext.

``use_language`` is called once, before the modules that hold texts are imported. Until then, and
in programs that import oddsdesk as a library, texts are English.
"""

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gettext import NullTranslations

    from oddsdesk.base.filled_texts import FilledTexts

DOMAIN: Final = "oddsdesk"
ENGLISH: Final = "en"
SYSTEM: Final = "system"
"""In the settings: the language of the system."""
PSEUDO: Final = "xx-pseudo"
"""English with accents, brackets and 40 % more letters, to see what is not translated or cut."""
VARIABLE: Final = "ODDSDESK_LANGUAGE"
_OF_SYSTEM: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""In this order, as gettext reads them."""

_catalogue: "NullTranslations | None" = None
_filled_texts: "FilledTexts | None" = None
"""Made at the first text that needs it."""
_language = ENGLISH


def _(text: str) -> str:
    """Return the translation of a constant text; fill in values afterwards with ``format``."""
    return text if _catalogue is None else _catalogue.gettext(text)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the translation that suits a count, still to be filled in with ``format``."""
    if _catalogue is None:
        return one if count == 1 else many
    return _catalogue.ngettext(one, many, count)


def pgettext(context: str, text: str) -> str:
    """Return the translation of a short text that means several things, such as "Lay"."""
    return text if _catalogue is None else _catalogue.pgettext(context, text)


def N_(text: str) -> str:  # noqa: N802 - gettext's own name for it
    """Mark a text that stays English here and is ``translated`` where it is shown."""
    return text


def translated(text: str) -> str:
    """Return the translation of a text that was marked with ``N_``; others come back unchanged.

    Values may be filled in already: ``N_("{path} is no database").format(path=path)``.
    """
    return text if _catalogue is None or not text else _translated(text)[0]


@lru_cache(maxsize=4_096)
def _translated(text: str) -> tuple[str, int]:
    """Return a text's translation and how many of its letters are left as they were."""
    global _filled_texts
    from oddsdesk.base.filled_texts import FilledTexts  # noqa: PLC0415 - not for English

    assert _catalogue is not None
    if not text:
        return "", 0  # whose translation is the catalogue's header
    if (found := _catalogue.gettext(text)) != text:
        return found, 0
    if _filled_texts is None:
        _filled_texts = FilledTexts(_templates(), _catalogue.gettext)
    return _filled_texts.translation_of(text, _translated)


def mid_sentence(text: str) -> str:
    """Return a text with a small first letter; in German as it is, since it may be a noun."""
    return text if _language == "de" else f"{text[:1].lower()}{text[1:]}"


def language() -> str:
    """Return the language in use: ``en``, ``de``, ``es``."""
    return _language


def use_language(name: str) -> None:
    """Translate from now on; a language without a catalogue means English."""
    global _catalogue, _filled_texts, _language
    _catalogue, _language = (None, ENGLISH) if name == ENGLISH else _opened(name)
    _filled_texts = None
    _translated.cache_clear()


def _templates() -> list[str]:
    """Return the texts whose values others fill in, as ``packaging/catalogues.py`` lists them."""
    import json  # noqa: PLC0415 - English needs none of this

    from oddsdesk.base.places import resource_path  # noqa: PLC0415 - English needs none of this

    found: list[str] = json.loads(resource_path("locale", "templates.json").read_text("utf-8"))
    return found


def _opened(name: str) -> "tuple[NullTranslations | None, str]":
    from gettext import GNUTranslations  # noqa: PLC0415 - English needs none of this

    if name == PSEUDO:
        from oddsdesk.base.pseudo import PseudoTranslations  # noqa: PLC0415 - for tests

        return PseudoTranslations(), PSEUDO
    from oddsdesk.base.places import resource_path  # noqa: PLC0415 - English needs none of this

    try:
        with resource_path("locale", name, "LC_MESSAGES", f"{DOMAIN}.mo").open("rb") as file:
            return GNUTranslations(file), name
    except (OSError, ValueError, UnicodeError):
        return None, ENGLISH


def chosen_language(
    environment: Mapping[str, str] = os.environ, setting: Callable[[], str] = lambda: SYSTEM
) -> str:
    """Return the language that the user wants and that is translated, else English.

    ``ODDSDESK_LANGUAGE`` comes first, then ``setting``, then the system's ``LANGUAGE``,
    ``LC_ALL``, ``LC_MESSAGES`` and ``LANG``. Of ``LANGUAGE``, the first that is known.
    """
    named = environment.get(VARIABLE) or setting()
    if named == PSEUDO:
        return PSEUDO
    if not named or named == SYSTEM:
        named = next((value for each in _OF_SYSTEM if (value := environment.get(each))), "")
    for each in named.split(":"):
        code = each.replace("-", "_").partition("_")[0].partition(".")[0].casefold()
        if code == ENGLISH or code in ("c", "posix"):
            return ENGLISH
        if code.isalpha() and code in languages():
            return code
    return ENGLISH


def saved_language() -> str:
    """Return the language chosen in the desk's settings, read before Qt is imported."""
    from oddsdesk.base.places import NoHomeError, settings_folder  # noqa: PLC0415 - the desk only

    try:
        saved = (settings_folder() / "desk.ini").read_text("utf-8", errors="replace")
    except (OSError, NoHomeError):
        return SYSTEM
    section = saved.partition("[look]\n")[2].partition("\n[")[0]
    values = (line.partition("=") for line in section.splitlines())
    return next((value for key, _, value in values if key == "language"), SYSTEM)


def languages() -> tuple[str, ...]:
    """Return the languages that have a compiled catalogue, and English first."""
    from oddsdesk.base.places import resource_path  # noqa: PLC0415 - English needs none of this

    found = resource_path("locale").glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return (ENGLISH, *sorted(path.parent.parent.name for path in found))
