"""Reports on the ledger, for each currency separately."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import (
    DRAW_RETURNS,
    SCORE_MARKETS,
    Draw,
    Form,
    market_title,
    types_of,
    types_with,
)
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import GamesOfBets
from oddsdesk.ledger.legs import devigged_close
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.pricing.devig import method_words
from oddsdesk.pricing.profiles import fold_name, shipped_profiles
from oddsdesk.pricing.reports import Report, SettledBet, report, reports_by
from oddsdesk.pricing.selections import NEVER_LEVEL, read_selection

_Outcome = tuple[str | int, ...]
_MARGINS: Final = dict.fromkeys(
    SCORE_MARKETS & types_of(Form.WINNER, Form.HANDICAP, Form.DOUBLE_CHANCE), "margin"
)
"""Markets decided by the difference of two scores."""
_FROM_THE_SCORE: Final = types_with(lambda market: market.draw in (Draw.RETURNED, Draw.SIDE))
"""Markets that may count from the current score if bet in play."""
LUCK_TEXT: Final = _(
    "Luck: nested lines of a game (over 1.5 and over 2.5) win and lose together and "
    'count as one outcome. "About" means that different markets of one game count as '
    "independent, or that there are too many bets for an exact sum."
)
"""The note below luck that is not exact."""


class Grouping(Enum):
    """How reports are split."""

    BOOKMAKER = "bookmaker"
    SPORT = "sport"
    MARKET = "market"
    KIND = "kind"
    """Back, lay, free bet and so on."""
    PRESET = "preset"
    MONTH = "month"
    """Month of the kick-off, or of placing if that is unknown."""


_USUAL: Final = 0.4
"""A chance so small that the exact figure does not matter."""
_HARDLY_EVER: Final = 10_000
NONE: Final = "none"
"""Label of bets that have no value to split by."""
_LABELS: Final[dict[Grouping, Callable[[PlacedBet], str]]] = {
    Grouping.BOOKMAKER: lambda bet: bet.bookmaker,
    Grouping.SPORT: lambda bet: translated(sport_title(bet.sport)) if bet.sport else "",
    Grouping.MARKET: lambda bet: (
        translated(market_title(bet.market_type)) if bet.market_type else ""
    ),
    Grouping.KIND: lambda bet: translated(bet.kind.words),
    Grouping.PRESET: lambda bet: bet.preset,
}


class OneClose(NamedTuple):
    """Bets with comparable closing lines: one sharp book, one devig method."""

    by: CloseBy
    """The sharp book by name; empty if no close was recorded with one."""
    bets: list[PlacedBet]
    """All bets; those closed another way have no close here, but a reason."""
    left_out: int
    """Number of those."""

    @property
    def close_text(self) -> str:
        """How CLV is measured and what is left out; empty without a close."""
        if not self.left_out and not any(bet.clv_pct is not None for bet in self.bets):
            return ""
        if not self.left_out:
            return f"CLV {close_by_text(self.by)}"
        text = ngettext(
            "CLV {close}; {count} close of another sharp book or method left out",
            "CLV {close}; {count} closes of another sharp book or method left out",
            self.left_out,
        )
        return text.format(close=close_by_text(self.by), count=self.left_out)


def close_by_text(by: CloseBy) -> str:
    """Return the sharp book and the method of closes, in words."""
    method = translated(method_words(by.method))
    if by.reference:
        return _("vs the {bookmaker} close, {method}").format(
            bookmaker=translated(by.reference), method=method
        )
    return _("vs the sharp book's close, {method}").format(method=method)


def by_one_close(
    bets: Iterable[PlacedBet], by: CloseBy, *, is_method_fixed: bool = False
) -> OneClose:
    """Return the bets with comparable closes.

    Recorded closes are devigged again from their lines. A close recorded without its line counts
    only if its own method is the wanted one; its sharp book is then that of the bet.

    Args:
        bets: Any bets.
        by: The wanted close. Without a sharp book: the one that closed most bets.
        is_method_fixed: Whether the method must not change. Otherwise a method that measures more
            closes is used.
    """
    held = list(bets)
    names = Counter(name for bet in held if (name := _closer(bet)))
    usual = min(names, key=lambda name: (-names[name], name), default="")
    same = {fold_name(by.reference)} if by.reference else {fold_name(usual), ""}
    method = by.method
    if not is_method_fixed:
        alone = [
            bet.close
            for bet in held
            if bet.close is not None and not bet.close.line and not bet.legs
        ]
        counts = Counter(close.method for close in alone if close.is_there)
        method = max((by.method, *sorted(counts)), key=lambda each: counts[each])
    measured, left_out = list[PlacedBet](), 0
    for bet in held:
        close = bet.close
        if close is not None and close.is_there:
            is_same = fold_name(_closer(bet)) in same
            found = devigged_close(bet, method) if is_same else None
            left_out += found is None
            why = CloseBy(_closer(bet), close.method).close_by_text
            bet = msgspec.structs.replace(bet, close=found or ClosingLine(why=why))
        measured.append(bet)
    return OneClose(CloseBy(by.reference or usual, method), measured, left_out)


def _closer(bet: PlacedBet) -> str:
    """Return whose close a bet has; empty if not recorded or if there is none."""
    if bet.close is None or not bet.close.is_there:
        return ""
    return bet.close.reference or bet.reference


def in_order(bets: Iterable[PlacedBet]) -> list[tuple[PlacedBet, SettledBet]]:
    """Return the settled bets by kick-off, with what reports count; no practice bets."""
    ordered = sorted(counted(bets), key=lambda bet: bet.time_order)
    games = GamesOfBets(ordered)
    found = []
    for bet in ordered:
        each = bet.as_settled()
        if each is not None:
            game = games.game_of_bet(bet)
            draw, wins, push = _draw_of(bet, game)
            each = each._replace(game=game, outcome=_outcome_of(bet, game))
            found.append((bet, each._replace(line=draw, wins=wins, push=push)))
    return found


def _outcome_of(bet: PlacedBet, game: str | None) -> _Outcome | None:
    """Return what bets that win and lose together share; None if unknown."""
    if game is None:
        return None
    what = (bet.market_type, bet.period, bet.selection)
    return _named(game, *what, bet.match_name, bet.sport, in_play=bet.is_in_play) or (game, *what)


def _draw_of(
    bet: PlacedBet, game: str | None
) -> tuple[Hashable, tuple[float, float] | None, float | None]:
    """Return the draw of lots that bets share, the numbers that win, and the push number.

    None if unknown. In play a handicap may count from the current score: then only its own two
    sides are related.
    """
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    if game is None or read is None:
        return None, None, None
    kind = _MARGINS.get(bet.market_type, bet.market_type)
    if bet.is_in_play and bet.market_type in _FROM_THE_SCORE:
        return (game, bet.market_type, bet.period, read.key), None, None
    if kind == "yes_no" and not read.key:
        return None, None, None  # the question is unknown
    wins = _winning_numbers(read.side, read.line)
    if wins is None:
        return None, None, None
    subject, _, _ = read.rank
    return (game, kind, bet.period, subject), wins, _push_of(bet, read.side, read.line or 0.0)


def _push_of(bet: PlacedBet, side: str, line: float) -> float | None:
    """Return the number at which a side pushes: goals, or the home team's margin."""
    if not line.is_integer():
        return None
    if side in ("over", "under"):
        return line
    if side in ("home", "away") and bet.market_type in DRAW_RETURNS:
        return -line
    if (bet.market_type, bet.period) == ("moneyline", 0) and bet.sport in NEVER_LEVEL:
        return 0.0
    return None


def _winning_numbers(side: str, line: float | None) -> tuple[float, float] | None:
    """Return the smallest and largest whole number with which a side wins.

    The number is goals or points, or the home team's margin (``line`` is its handicap). None for
    "no draw", which wins at both ends. A quarter line wins if half of it does.
    """
    line = line or 0.0
    match side:
        case "home" | "1X":
            return (math.floor(-line) + 1 if side == "home" else 0, math.inf)
        case "away" | "X2":
            return (-math.inf, math.ceil(-line) - 1 if side == "away" else 0)
        case "draw":
            return (-line, -line)
        case "over":
            return (math.floor(line) + 1, math.inf)
        case "under":
            return (-math.inf, math.ceil(line) - 1)
        case "yes":
            return (1, math.inf)
        case "no":
            return (-math.inf, 0)
    return None


@lru_cache(maxsize=1 << 16)
def _named(
    game: str,
    market_type: str,
    period: int,
    selection: str,
    match_name: str,
    sport: str,
    *,
    in_play: bool,
) -> _Outcome | None:
    key = (game, market_type, period, selection, "")
    return outcome_named(key, match_name, sport, in_play=in_play)


def luck_text(found: Report) -> str:
    """Return the chance of doing as well, or as badly, by luck; ``about`` if not exact."""
    if found.chance is None or found.bad_chance is None:
        return ""
    share = min(found.chance, found.bad_chance)
    if share > _USUAL:
        return _("as expected by chance")
    times, is_good = 1 / share if share > 0 else math.inf, found.chance <= found.bad_chance
    if times >= _HARDLY_EVER:
        return _("hardly ever by chance") if is_good else _("hardly ever as bad by chance")
    if found.is_exact:
        text = (
            _("one in {times:,.0f} by chance")
            if is_good
            else _("one in {times:,.0f} as bad by chance")
        )
    else:
        text = (
            _("about one in {times:,.0f} by chance")
            if is_good
            else _("about one in {times:,.0f} as bad by chance")
        )
    return text.format(times=num(times))


def is_luck_rough(found: Report) -> bool:
    """Return whether ``luck_text`` has a figure that is not exact: ``about one in 30``."""
    if found.is_exact or found.chance is None or found.bad_chance is None:
        return False
    share = min(found.chance, found.bad_chance)
    return share <= _USUAL and share * _HARDLY_EVER > 1


def by_currency(bets: Iterable[PlacedBet]) -> dict[str, list[PlacedBet]]:
    """Return the bets by currency, the most used currency first."""
    groups: dict[str, list[PlacedBet]] = {}
    for bet in bets:
        groups.setdefault(bet.currency, []).append(bet)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def whole_report(bets: Iterable[PlacedBet]) -> Report:
    """Return the report on bets of one currency; open bets are not counted."""
    return report([each for _, each in in_order(bets)])


def split_report(
    bets: Iterable[PlacedBet], by: Grouping, zone: tzinfo | None = UTC
) -> dict[str, Report]:
    """Return reports on bets of one currency by label; months in order, others by turnover."""
    ordered = in_order(bets)
    labels = [_label(bet, by, zone) for bet, _ in ordered]
    if by is Grouping.BOOKMAKER:
        labels = _one_spelling(labels)
    found = reports_by([each for _, each in ordered], labels)
    if by is Grouping.MONTH:
        return found
    return dict(sorted(found.items(), key=lambda group: (-group[1].staked, group[0])))


def _one_spelling(names: Sequence[str]) -> list[str]:
    """Return each bookmaker's name in its most common spelling."""
    keys = [shipped_profiles().canonical(name) or fold_name(name) for name in names]
    spelt = defaultdict[str, Counter[str]](Counter)
    for key, name in zip(keys, names, strict=True):
        spelt[key][name] += 1
    return [spelt[key].most_common(1)[0][0] for key in keys]


def _label(bet: PlacedBet, by: Grouping, zone: tzinfo | None) -> str:
    if by is Grouping.MONTH:
        moment = datetime.fromtimestamp(bet.time_order[0] / 1000, UTC).astimezone(zone)
        return f"{moment:%Y-%m}"
    return _LABELS[by](bet) or NONE
