"""Which column of a list of bets holds what.

Titles are known in eleven languages (``resources/bet_words.csv``), and a user can name columns.
If two columns mean one field, the one that agrees with odds, result and profit is used.
"""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from oddsdesk.base.figures import (
    FigureError,
    Habit,
    currency_named,
    decimals_of,
    is_unit_word,
    read_amount,
    read_number,
)
from oddsdesk.base.places import resource_path
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.base.texts import _
from oddsdesk.contract.texts import folded, plain_letters
from oddsdesk.ledger.bet_kinds import BetKind, Terms, profit_by_kind
from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    HONG_KONG,
    INDONESIAN,
    MALAY,
    OddsFormatError,
    parse_odds,
)
from oddsdesk.pricing.selections import Result, profit_of

CENT: Final = 0.01 + 1e-9
"""How far rounding can move a profit."""
ODDS_ROUNDING: Final = 0.005
"""How far odds of two decimals can move a payment, as a share of the stake."""
RETURNED, TO_WIN, PAYOUT, WINNINGS = "returned", "to_win", "payout", "winnings"
"""What was paid, what a win earns and pays; and what may be the profit or the payment."""
TIPSTER: Final = "tipster"
FIELDS: Final = {
    "selection": "selection",
    "stake": "stake",
    "odds": "odds",
    "result": "result",
    "date": "placed_at",
    "kick-off": "kick_off",
    "game": "match_name",
    "competition": "competition",
    "sport": "sport",
    "market": "market_type",
    "bookmaker": "bookmaker",
    "profit": "profit",
    "payout": RETURNED,
    "commission": "commission",
    "currency": "currency",
    "account": "account",
    "note": "note",
    "kind": "kind",
    "liability": "liability",
    "odds-without-boost": "unboosted_odds",
    "refund": "refund",
    "place-terms": "place_fraction",
    "places": "places",
    "legs": "legs",
}
"""The fields of a bet that a user can name a column for, and their keys."""
_NAMES: Final = {key: name for name, key in FIELDS.items()}
_STYLE_NAMES: Final = {
    DECIMAL: ("decimal", "eu"),
    AMERICAN: ("american", "us"),
    FRACTIONAL: ("fractional", "uk"),
    HONG_KONG: ("hongkong", "hk"),
    MALAY: ("malay", "malaysian"),
    INDONESIAN: ("indonesian", "indo"),
}
ODDS_KEYS: Final = {style: f"odds_{style}" for style in _STYLE_NAMES}
"""Columns whose title gives the format of odds, the most exact first."""
_ODDS_TITLES: Final = {
    title: ODDS_KEYS[style]
    for style, (whole, short) in _STYLE_NAMES.items()
    for title in (whole, f"{whole}odds", f"odds{whole}", f"{short}odds", f"odds{short}")
}
DATE_WORDS: Final = frozenset({"date", "datum", "data", "dato", "fecha"})
"""Titles that name the bet or the game; the game if another column is surely the bet."""
CLOCK_WORDS: Final = frozenset(
    {
        *("time", "uhrzeit", "zeit", "hora", "heure", "ora", "orario", "tijd", "tijdstip"),
        *("tid", "tidpunkt", "klockslag", "tidspunkt", "klokkeslett", "godzina", "czas"),
    }
)
"""Titles of a time of day, or of the whole moment if no other column holds a date."""
_MATCH_TOO: Final = ("fixture", "game", "teams")
"""Titles of the game if no surer one exists; only the first of them is used."""
_UNKNOWN: Final = "?"
_AS_PICTURE: Final = "\ufe0f"
"""Follows a symbol that is shown as a coloured picture."""
_SCORE: Final = re.compile(r"\d{1,3} ?[-:–] ?\d{1,3}")
LEAST_AFTER_COMMISSION: Final = 0.9
_ANY_END: Final = (Result.WON, Result.LOST, Result.VOID)
_OPEN: Final = "open"


class ListUnclearError(SheetError):
    """A list that does not show how to read it; the user can choose.

    ``about`` is the unclear part: a field of ``ListChoices``; ``sample`` one of its cells.
    """

    def __init__(self, about: str, problem: str, sample: str = "") -> None:
        super().__init__(problem)
        self.about = about
        self.sample = sample


@lru_cache(maxsize=1 << 12)
def folded_title(text: str) -> str:
    """Return a title or word without case, accents, spaces and punctuation; ``%`` is ``pct``."""
    return folded(plain_letters(text.replace("%", "pct").replace("½", "1/2")))


class _Words(NamedTuple):
    """The table of titles and words, folded."""

    titles: dict[str, tuple[str, frozenset[str]]]
    """What a title means, and the languages in which it does."""
    results: dict[str, Result | None]
    ended: frozenset[str]
    """Words that say that a bet ended, but not how."""
    kinds: dict[str, BetKind]
    """Words for kinds of bets; ``back`` for those of singles."""


@cache
def _words() -> _Words:
    titles: dict[str, tuple[str, set[str]]] = {}
    results: dict[str, Result | None] = {"": None}
    ended, kinds = set[str](), dict[str, BetKind]()
    with resource_path("bet_words.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            meaning = row["meaning"]
            for word in map(result_word, row["words"].split("|")):
                if row["kind"] == "ended":
                    ended.add(word)
                elif row["kind"] == "kind":
                    kinds[word] = BetKind(meaning)
                elif row["kind"] == "title":
                    titles.setdefault(word, (meaning, set()))[1].add(row["language"])
                else:
                    results[word] = None if meaning == _OPEN else Result(meaning)
    halves = {Result.WON: Result.HALF_WON, Result.LOST: Result.HALF_LOST}
    for word, result in list(results.items()):
        if result in halves and len(word) > 1:  # 1/2 won, won 1/2
            results |= dict.fromkeys((f"12{word}", f"{word}12"), halves[result])
    known = {title: (key, frozenset(languages)) for title, (key, languages) in titles.items()}
    return _Words(
        known | {title: (key, frozenset()) for title, key in _ODDS_TITLES.items()},
        results,
        frozenset(ended),
        kinds,
    )


def result_word(text: str) -> str:
    """Return a result as it is looked up: a folded word, or a symbol as it is written."""
    plain = text.strip().removesuffix(_AS_PICTURE)
    return folded_title(plain) or plain


def says_only_ended(text: str) -> bool:
    """Return whether a result says that a bet ended, but not how: ``Settled``, ``2-1``."""
    return result_word(text) in _words().ended or _SCORE.fullmatch(text) is not None


def result_by_profit(profit: float, terms: Terms, size: float, *, is_charged: bool) -> Result:
    """Return the result of a bet that ended with a profit.

    ``is_charged``: a commission is listed, so a win may earn less than its odds.

    Raises:
        FigureError: no result gives this profit.
    """
    ends = (Result.LOST, Result.VOID) if terms.kind.is_free else (Result.VOID, Result.LOST)
    placed = (Result.PLACED,) if terms.kind is BetKind.EACH_WAY else ()
    result: Result
    for result in (*ends, Result.WON, *placed, Result.HALF_WON, Result.HALF_LOST):
        room = CENT + (size * ODDS_ROUNDING if result is Result.WON else 0)
        if abs(profit - profit_by_kind(terms, result, size)) <= room:
            return result
    won, lost = (profit_by_kind(terms, end, size) for end in (Result.WON, Result.LOST))
    if is_charged and won * LEAST_AFTER_COMMISSION <= profit < won:
        return Result.WON
    if lost < profit < won:
        return Result.CASHED_OUT
    raise FigureError(
        _(
            "no result gives a profit of {profit:+.2f} with a stake of {size:g} at {net_odds:.6g}"
        ).format(profit=profit, size=size, net_odds=terms.net_odds)
    )


def result_words() -> Mapping[str, Result | None]:
    """Return words for results in all languages, folded; None for an open bet."""
    return _words().results


def kind_words() -> Mapping[str, BetKind]:
    """Return words for kinds of bets in all languages, folded."""
    return _words().kinds


def field_named(name: str) -> str:
    """Return the key of a field that a user names: ``game`` or ``match_name``.

    Raises:
        ValueError: no such field; lists them.
    """
    plain = name.strip().casefold().replace(" ", "-")
    if plain in FIELDS:
        return FIELDS[plain]
    if plain.replace("-", "_") in _NAMES:
        return plain.replace("-", "_")
    raise ValueError(
        _("no field {name!r}: expected one of {fields}").format(name=name, fields=", ".join(FIELDS))
    )


class TitleMeanings(NamedTuple):
    """What the titles of a list mean."""

    keys: dict[str, str]
    """By title; several may have one key. An unknown title's key begins with ``?``."""
    in_units: frozenset[str]
    """Titles of amounts that count the bettor's units."""


def meanings_of(
    titles: Sequence[str],
    own: Mapping[str, str],
    of_tracker: Mapping[str, str],
    columns: Mapping[str, str],
) -> TitleMeanings:
    """Return what titles mean; ``columns`` are the titles by key that the user chose.

    ``Bet`` is our number if there is a selection column, else the selection itself.

    Raises:
        ListUnclearError: a chosen title is not in the list.
    """
    has_selection = any(folded_title(title) == "selection" for title in titles)
    keys, in_units = {}, set()
    for title in titles:
        name = folded_title(title)
        known = {**own, **of_tracker}
        if name == "bet" and not has_selection:
            known = {}
        if name not in known and name not in _words().titles:
            name, is_unit = _without_unit(title)
            if is_unit:
                in_units.add(title)
        meaning = known.get(name) or _words().titles.get(name, ("", frozenset()))[0]
        keys[title] = meaning or f"{_UNKNOWN}{title}"
    _set_dates_apart(keys)
    if "match_name" not in keys.values():
        too = [title for title in titles if folded_title(title) in _MATCH_TOO]
        keys |= dict.fromkeys(too[:1], "match_name")
    _choose(keys, columns)
    return TitleMeanings(keys, frozenset(in_units))


def _without_unit(title: str) -> tuple[str, bool]:
    """Return a folded title without the currency or unit that follows it, and whether a unit did.

    ``Stake (EUR)``, ``Einsatz in €``, ``Stake [units]``, ``Units``; ``Odds (2)`` is a second
    column of one title.
    """
    title = re.sub(r" \(\d\)$", "", title)
    if is_unit_word(title) or folded_title(title) in {"unitsstaked", "stakeunits", "unitstake"}:
        return "stake", True
    words = title.replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").split()
    if len(words) > 1 and (is_unit_word(words[-1]) or currency_named(words[-1])):
        rest = words[:-2] if words[-2].casefold() == "in" and len(words) > 2 else words[:-1]
        return folded_title(" ".join(rest)), is_unit_word(words[-1])
    return folded_title(title), False


def _set_dates_apart(keys: dict[str, str]) -> None:
    """Let ``Date`` be the kick-off if another column is surely the time of placing."""
    of_bets = [title for title, key in keys.items() if key == "placed_at"]
    if len(of_bets) > 1:
        of_games = f"{_UNKNOWN}{{}}" if "kick_off" in keys.values() else "kick_off"
        plain = [title for title in of_bets if folded_title(title) in DATE_WORDS]
        if len(plain) < len(of_bets):
            keys |= {title: of_games.format(title) for title in plain}


def _choose(keys: dict[str, str], columns: Mapping[str, str]) -> None:
    named = {folded_title(title): title for title in keys}
    for key, wanted in columns.items():
        title = named.get(folded_title(wanted))
        if wanted and title is None:
            raise ListUnclearError(
                "columns",
                _("has no column {wanted!r}; its columns: {columns}").format(
                    wanted=wanted, columns=", ".join(keys)
                ),
            )
        for other, its in keys.items():
            if its == key or (key == "odds" and its in ODDS_KEYS.values()):
                keys[other] = f"{_UNKNOWN}{other}"
        if title is not None:
            keys[title] = key


_Cells = Mapping[str, Sequence[str]]
"""The cells of each column, by title."""
_FIGURES: Final = ("profit", RETURNED, TO_WIN, PAYOUT, WINNINGS)


class OneEach(NamedTuple):
    """Columns of a list, one for each field."""

    keys: dict[str, str]
    remarks: list[str]
    """One line each: which of several columns is used, and why."""


def one_column_each(
    keys: Mapping[str, str],
    cells: _Cells,
    words: Mapping[str, Result | None],
    style_of: Callable[[str], str],
    judged: _Cells,
) -> OneEach:
    """Return the keys with one title for each; notes may have several.

    ``style_of`` returns the odds format of a column by its title; it may raise
    ``ListUnclearError``. ``judged`` are the cells of bets that pay stake × odds.

    Raises:
        ListUnclearError: two columns mean one field, and neither agrees with the others.
    """
    found = OneEach(dict(keys), [])
    figures = _Figures(found.keys, judged, words, style_of)
    _judge(found, figures)
    _judge_payments(found, figures)
    for key in dict.fromkeys(found.keys.values()):
        titles = [title for title, its in found.keys.items() if its == key]
        if len(titles) > 1 and key != "note":
            _prefer(found, key, titles, cells)
    return found


class _Figures:
    """The figures of a list, for judging which columns agree."""

    def __init__(
        self,
        keys: Mapping[str, str],
        cells: _Cells,
        words: Mapping[str, Result | None],
        style_of: Callable[[str], str],
    ) -> None:
        self._cells = cells
        self._words = words
        numbers = [cell for title, key in keys.items() if key in _FIGURES for cell in cells[title]]
        self._decimals = decimals_of(numbers)
        self._style_of = style_of
        self._amounts: dict[str, list[float | None]] = {}
        self._odds: dict[str, list[float | None]] = {}

    def amounts(self, title: str) -> list[float | None]:
        """Return the amounts of a column; None for an empty or unreadable cell."""
        if title not in self._amounts:
            habit = decimals_of(self._cells[title]) or self._decimals
            self._amounts[title] = [_amount(cell, habit) for cell in self._cells[title]]
        return self._amounts[title]

    def odds(self, title: str) -> list[float | None]:
        """Return the decimal odds of a column; None for an empty or unreadable cell."""
        if title not in self._odds:
            try:
                style = self._style_of(title)
            except ListUnclearError:
                style = DECIMAL
            self._odds[title] = [_price(cell, style) for cell in self._cells[title]]
        return self._odds[title]

    def results(self, title: str) -> list[tuple[Result, ...]]:
        """Return the results that each cell allows; none for an open or unreadable one."""
        return [self._ends(cell) for cell in self._cells[title]]

    def _ends(self, cell: str) -> tuple[Result, ...]:
        if says_only_ended(cell):
            return _ANY_END
        result = self._words.get(result_word(cell))
        return () if result is None else (result,)

    def unread(self, key: str, title: str) -> int:
        """Return how many cells of a column are not what the field holds."""
        filled = [cell for cell in self._cells[title] if cell]
        if key == "result":
            return sum(result_word(cell) not in self._words for cell in filled)
        read = self.odds(title) if key == "odds" else self.amounts(title)
        return len(filled) - sum(figure is not None for figure in read)

    def values(self, key: str, title: str) -> Sequence[object]:
        if key == "result":
            return self.results(title)
        return self.odds(title) if key == "odds" else self.amounts(title)

    def agreement(
        self, stake: str, odds: str, result: str, figure: str, key: str
    ) -> tuple[int, int]:
        """Return how many rows of a column of figures agree with the bet, and how many do not."""
        results = self.results(result) if result else [_ANY_END] * len(self._cells[stake])
        agree, rows = 0, 0
        for staked, price, ends, amount in zip(
            self.amounts(stake), self.odds(odds), results, self.amounts(figure), strict=True
        ):
            if staked is None or price is None or amount is None:
                continue
            expected = _expected(key, staked, price, ends)
            rows += bool(expected)
            agree += any(abs(amount - each) <= CENT + staked * ODDS_ROUNDING for each in expected)
        return agree, rows - agree


def _expected(key: str, stake: float, odds: float, ends: Sequence[Result]) -> tuple[float, ...]:
    """Return what a column of figures can say about a bet; empty if the bet does not show it."""
    if key in (TO_WIN, PAYOUT):
        return (stake * (odds - 1) + (stake if key == PAYOUT else 0),)
    profits = tuple(
        profit_of(result, stake, odds) for result in ends if result is not Result.CASHED_OUT
    )
    payments = tuple(stake + profit for profit in profits)
    both = {"profit": profits, RETURNED: payments}
    return both.get(key, profits + payments)


def _judge(found: OneEach, figures: _Figures) -> None:
    """Decide between columns of stakes, odds and results by what agrees with the others."""
    by_key = {
        key: [title for title, its in found.keys.items() if its == key]
        for key in ("stake", "odds", "result")
    }
    if all(len(titles) < 2 for titles in by_key.values()):
        return
    odds = by_key["odds"] or [
        title for key in ODDS_KEYS.values() for title, its in found.keys.items() if its == key
    ]
    if not (by_key["stake"] and odds):
        return
    known = [(title, key) for title, key in found.keys.items() if key in _FIGURES]
    ranked = []
    for chosen in itertools.product(by_key["stake"], odds, by_key["result"] or [""]):
        stake, price, result = chosen
        others = [(title, WINNINGS) for title in by_key["stake"] if title != stake]
        agree = disagree = 0
        for title, key in [*known, *others]:
            fits, differs = figures.agreement(stake, price, result, title, key)
            agree, disagree = agree + fits, disagree + differs
        named = {"stake": stake, "odds": price} | ({"result": result} if result else {})
        unread = sum(figures.unread(key, title) for key, title in named.items())
        ranked.append((agree - disagree - unread, agree, named))
    ranked.sort(key=lambda each: each[0], reverse=True)
    best, agree, named = ranked[0]
    for key, title in named.items():
        for other in by_key[key]:
            if other == title or figures.values(key, other) == figures.values(key, title):
                continue
            rival = next(score for score, _, its in ranked if its[key] == other)
            if rival == best or (best < 0 and not agree):
                raise _neither(key, title, other)
            agrees = agree and rival < best
            text = (
                _("{field} is read from {title}, which agrees with odds and profit, not {other}")
                if agrees
                else _("{field} is read from {title}, which can be read, not {other}")
            )
            found.remarks.append(text.format(field=_NAMES[key], title=title, other=other))
    for key, title in named.items():
        for other in by_key[key]:
            if other != title:
                found.keys[other] = WINNINGS if key == "stake" else f"{_UNKNOWN}{other}"


def _neither(key: str, one: str, other: str) -> ListUnclearError:
    name = _NAMES.get(key, key)
    return ListUnclearError(
        "columns",
        _(
            "has two columns for the {name}, {one} and {other}, and neither agrees with "
            "odds and profit; choose one, such as {name}={one}"
        ).format(name=name, one=one, other=other),
    )


def _judge_payments(found: OneEach, figures: _Figures) -> None:
    """Decide whether columns hold the profit, the payment or what a win would pay."""
    by_key = {key: title for title, key in reversed(found.keys.items())}
    stake, result = by_key.get("stake"), by_key.get("result", "")
    odds = next((by_key[key] for key in ("odds", *ODDS_KEYS.values()) if key in by_key), None)
    if stake is None or odds is None:
        return
    meanings = {
        WINNINGS: ("profit", RETURNED, PAYOUT),
        "profit": ("profit", RETURNED),
        RETURNED: (RETURNED, PAYOUT),
    }
    for title, key in list(found.keys.items()):
        if key not in meanings:
            continue
        scores = {
            each: figures.agreement(stake, odds, result, title, each) for each in meanings[key]
        }
        best = max(scores, key=lambda each: scores[each][0] - scores[each][1])
        fits, differs = scores[best]
        hopes = [figures.agreement(stake, odds, result, title, each) for each in (TO_WIN, PAYOUT)]
        may_be_hoped = not result and any(not misses for _, misses in hopes)
        if key == WINNINGS and (not fits or differs > fits or may_be_hoped):
            found.keys[title] = f"{_UNKNOWN}{title}"
        elif best != key and (key == WINNINGS or (fits > scores[key][0] and not differs)):
            found.keys[title] = best if best not in found.keys.values() else f"{_UNKNOWN}{title}"
            if best != "profit":
                found.remarks.append(_READ_AS[best].format(title=title))
    for key in ("profit", RETURNED):
        rivals = {
            title: figures.agreement(stake, odds, result, title, key)
            for title, its in found.keys.items()
            if its == key
        }
        best_fit = max(rivals.values(), default=(0, 0))
        if list(rivals.values()).count(best_fit) == 1 < len(rivals):
            chosen = next(title for title, score in rivals.items() if score == best_fit)
            for other in set(rivals) - {chosen}:
                found.remarks.append(
                    _("{field} is read from {chosen}, which agrees with odds, not {other}").format(
                        field=_NAMES[key], chosen=chosen, other=other
                    )
                )
                found.keys[other] = f"{_UNKNOWN}{other}"


_READ_AS: Final = {
    RETURNED: _("{title} is read as the payout: it is stake × odds"),
    PAYOUT: _("{title} is read as what a win would pay: it is stake × odds"),
}


def _prefer(found: OneEach, key: str, titles: Sequence[str], cells: _Cells) -> None:
    """Keep one of several columns for a field: the fullest, then the one in the list's language."""
    spoken = Counter(
        language
        for title in found.keys
        for language in _words().titles.get(folded_title(title), ("", ()))[1]
    )

    def rank(title: str) -> tuple[int, int]:
        languages = _words().titles.get(folded_title(title), ("", ()))[1]
        filled = sum(map(bool, cells[title]))
        return filled, max((spoken[each] for each in languages), default=0)

    best = max(titles, key=rank)
    for other in titles:
        if other == best:
            continue
        if any(a and b and a != b for a, b in zip(cells[best], cells[other], strict=True)):
            if key in ("profit", RETURNED):
                raise _neither(key, best, other)
            found.remarks.append(
                _("{field} is read from {best}, not {other}").format(
                    field=_NAMES.get(key, key), best=best, other=other
                )
            )
        found.keys[other] = f"{_UNKNOWN}{other}"


def _amount(cell: str, habit: Habit | None) -> float | None:
    try:
        return read_amount("", cell, habit) if cell else None
    except FigureError:
        return None


def _price(cell: str, style: str) -> float | None:
    try:
        if style == DECIMAL:
            return read_number("", cell) if cell else None
        return parse_odds(cell.replace(",", "") if style == AMERICAN else cell, style)
    except (FigureError, OddsFormatError):
        return None
