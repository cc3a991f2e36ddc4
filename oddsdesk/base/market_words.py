"""Names of markets, periods, sports, selections and files for people, the contract's in English.

They are listed here so that they can be translated.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from string import Formatter
from typing import Final
from unicodedata import normalize

from oddsdesk.base.numbers import decimal_mark, with_marks
from oddsdesk.base.texts import ENGLISH, N_, language, translated
from oddsdesk.contract.competitions import competition_title, period_label, sport_title
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title

LISTED: Final = (
    *(N_("Match result"), N_("Handicap"), N_("Total"), N_("Both teams to score")),
    *(N_("Double chance"), N_("Draw no bet"), N_("3-way handicap"), N_("Total games")),
    *(N_("Games handicap"), N_("Team total"), N_("Player prop"), N_("Yes or no")),
    *(N_("Full Time"), N_("Full Game"), N_("Match"), N_("1st Half"), N_("2nd Half")),
    *(N_("1st Quarter"), N_("2nd Quarter"), N_("3rd Quarter"), N_("4th Quarter")),
    *(N_("1st Period"), N_("2nd Period"), N_("3rd Period"), N_("Period {number}")),
    *(N_("1st Set"), N_("2nd Set"), N_("3rd Set"), N_("4th Set"), N_("5th Set")),
    *(N_("Football"), N_("Basketball"), N_("Tennis"), N_("Hockey"), N_("Baseball")),
    *(N_("American football"), N_("Rugby"), N_("Other")),
)


COMPETITIONS: Final = (
    *(N_("First Division, Belgium"), N_("League One, England"), N_("League Two, England")),
    *(N_("National League, England"), N_("Super League, Greece"), N_("Serie B, Italy")),
    *(N_("Primeira Liga, Portugal"), N_("Premiership, Scotland"), N_("Championship, Scotland")),
    *(N_("League One, Scotland"), N_("League Two, Scotland"), N_("Süper Lig, Turkey")),
    *(N_("FIFA World Cup"), N_("football"), N_("ice hockey"), N_("rugby league")),
    *(N_("rugby union"), N_("Australian football"), N_("baseball"), N_("basketball")),
    *(N_("boxing"), N_("Boxing"), N_("cricket"), N_("darts"), N_("esports"), N_("golf")),
    *(N_("handball"), N_("lacrosse"), N_("politics"), N_("snooker"), N_("tennis")),
    N_("volleyball"),
)
"""Titles that the contract gives to competitions, and the sports that it adds to others."""

FILES: Final = (
    *(N_("Betfair's historical data (bz2)"), N_("Pinnacle's odds and fixtures")),
    *(N_("OddsPortal through OddsHarvester (JSON, CSV)"), N_("Scores of any origin (CSV, XLSX)")),
)
"""Titles of the formats of files that can be imported, if they have words."""

SELECTIONS: Final = frozenset(
    {
        *(N_("Home"), N_("Draw"), N_("Away"), N_("Over"), N_("Under"), N_("Yes"), N_("No")),
        *(N_("Home {line}"), N_("Draw {line}"), N_("Away {line}")),
        *(N_("Over {line}"), N_("Under {line}")),
        *(N_("Home Over {line}"), N_("Home Under {line}")),
        *(N_("Away Over {line}"), N_("Away Under {line}")),
    }
)
"""What is bet on, if no team, player or question is named."""
_OF_SIDE: Final = {"Over": N_("{player} Over {line}"), "Under": N_("{player} Under {line}")}
_OF_ANSWER: Final = {"Yes": N_("{question} Yes"), "No": N_("{question} No")}
_JOINED: Final = " + "
_LINE: Final = re.compile(
    r"(?:(?P<about>.+) )?(?P<line>[+-]?(?:0|[1-9]\d{0,3})(?:\.\d{1,3})?)", re.ASCII
)
_SIDE: Final = re.compile("(?P<about>.+) (?P<side>Over|Under)")
_ANSWER: Final = re.compile("(?P<about>.+) (?P<answer>Yes|No)")


_GAME: Final = N_("{home} v {away}")
_WITH_SPORT: Final = re.compile(r"(.+) \(([A-Za-z ]+)\)")


def shown_game(match_name: str) -> str:
    """Return a game as people read it: ``PSG v Lyon``, in German and Spanish ``PSG – Lyon``."""
    pair = teams(match_name)
    return translated(_GAME).format(home=pair[0], away=pair[1]) if pair else match_name


def between_teams() -> str:
    """Return what ``shown_game`` has between the teams, with its spaces."""
    return translated(_GAME).format(home="", away="")


def market_text(market_type: str) -> str:
    """Return the name of a market; an unknown type is its own name."""
    return translated(market_title(market_type))


def period_text(sport: str, period: int) -> str:
    """Return what a period is called in a sport, such as ``1st Half``."""
    return translated(period_label(sport, period))


def sport_text(sport: str) -> str:
    """Return a sport as people write it."""
    return translated(sport_title(sport))


def competition_text(code: str) -> str:
    """Return a competition as people read it; names of other sources stay."""
    title = competition_title(code)
    found = _WITH_SPORT.fullmatch(title)
    return f"{found[1]} ({translated(found[2])})" if found else translated(title)


def titled_competitions(codes: Iterable[str]) -> list[tuple[str, str]]:
    """Return the codes of competitions with their titles, sorted by title."""
    titled = [(code, competition_text(code)) for code in codes]
    return sorted(titled, key=lambda each: (each[1].casefold(), each[0]))


def selection_text(selection: str) -> str:
    """Return a selection as people read it: its words translated, its line with the chosen mark.

    ``Over 2.5`` becomes ``Über 2,5``; teams, ``1X`` and other texts stay. Those of a multiple,
    joined by `` + ``, are each translated.
    """
    if language() == ENGLISH and decimal_mark() == ".":
        return selection
    return _selection_text(selection, language(), decimal_mark())


def selection_order(selection: str) -> str:
    """Return what selections are sorted by: the text that is shown, without case and accents."""
    return _plain(selection_text(selection)).casefold()


def searched_selection(selection: str) -> str:
    """Return what a filter finds a selection by: its English text, and the one that is shown."""
    shown = selection_text(selection)
    return selection if shown == selection else f"{selection} {shown}"


@lru_cache(maxsize=1 << 14)
def _selection_text(selection: str, _language: str, _mark: str) -> str:
    if _JOINED in selection:
        return _JOINED.join(map(selection_text, selection.split(_JOINED)))
    if selection in SELECTIONS:
        return translated(selection)
    if (found := _ANSWER.fullmatch(selection)) is not None:
        return translated(_OF_ANSWER[found["answer"]]).format(question=found["about"])
    if (found := _LINE.fullmatch(selection)) is None:
        return selection
    about, line = found["about"] or "", with_marks(found["line"])
    if (template := f"{about} {{line}}") in SELECTIONS:
        return translated(template).format(line=line)
    if (of_player := _SIDE.fullmatch(about)) is not None:
        template = translated(_OF_SIDE[of_player["side"]])
        return template.format(player=of_player["about"], line=line)
    return f"{about} {line}".lstrip()


def typed_selection(text: str) -> str:
    """Return a typed selection in English, as it is kept: ``Über 2,5`` becomes ``Over 2.5``.

    Case and accents may differ. English ones, teams and other texts stay, but for the mark of a
    line.
    """
    text = " ".join(normalize("NFC", text.replace("\N{MINUS SIGN}", "-")).split())
    if _JOINED in text:
        return _JOINED.join(map(typed_selection, text.split(_JOINED)))
    plain = _plain(text)
    for pattern, english in _typed_patterns(language()):
        if (found := pattern.fullmatch(plain)) is not None:
            given = {name: text[slice(*found.span(name))] for name in found.groupdict()}
            if "line" in given:
                given["line"] = given["line"].replace(",", ".")
            return english.format(**given)
    if (found := _TYPED_LINE.fullmatch(text)) is not None:
        return f"{found['about']}{found['line'].replace(',', '.')}"
    return text


def searched_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the case-folded words of a filter, with a side and its line as one, in English.

    ``über 2,5`` alone would find ``Unter 2,5`` in a market called ``Über/Unter``.
    """
    for start, length in product(range(len(words)), range(2, _MOST_WORDS + 1)):
        stop = start + length
        total = typed_selection(" ".join(words[start:stop])).casefold()
        if _TOTAL.fullmatch(total):
            return (*words[:start], total, *searched_words(words[stop:]))
    return tuple(words)


_MOST_WORDS: Final = 4
_TOTAL: Final = re.compile("(?:over|under) [0-9.]+")
_NUMBER: Final = "[+-]?[0-9]{1,4}(?:[.,][0-9]{1,3})?"
_TYPED_LINE: Final = re.compile(f"(?P<about>(?:.+ )?)(?P<line>{_NUMBER})")


@lru_cache(maxsize=1)
def _typed_patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what selections look like in a language, those that name nothing first."""
    if language == ENGLISH:
        return []
    english = (*sorted(SELECTIONS), *_OF_SIDE.values(), *_OF_ANSWER.values())
    return [(_typed_pattern(translated(each)), each) for each in english]


def _typed_pattern(template: str) -> re.Pattern[str]:
    parts = Formatter().parse(_plain(template))
    pattern = "".join(
        re.escape(literal) + (f"(?P<{name}>{_NUMBER if name == 'line' else '.+'})" if name else "")
        for literal, name, _, _ in parts
    )
    return re.compile(pattern, re.IGNORECASE)


def _plain(text: str) -> str:
    """Return a text without accents, each letter in its place."""
    return text if text.isascii() else "".join(normalize("NFD", each)[0] for each in text)
