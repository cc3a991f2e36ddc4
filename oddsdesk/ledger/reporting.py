"""Reports over the ledger: by currency, which are never summed, and by what the user asks."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import market_title
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import GamesOfBets
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.pricing.closing import CloseBy, ClosingLine, devigged_by
from oddsdesk.pricing.outcomes import read_selection
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.reports import Report, SettledBet, report, reports_by
from oddsdesk.shipped_bookmakers import shipped_profiles

_Outcome = tuple[str | int, ...]
_MARGINS: Final = dict.fromkeys(
    ("moneyline", "spread", "draw_no_bet", "double_chance", "3way_handicap"), "margin"
)
"""Markets that the difference of two scores decides."""
_FROM_THE_SCORE: Final = frozenset({"spread", "draw_no_bet", "3way_handicap"})
"""Those of them that may count from the score so far where they are bet on in play."""
_NEVER_LEVEL: Final = frozenset({"Tennis", "Basketball", "Baseball"})
"""Sports whose games have a winner: home and away are all that can win."""
LUCK_TEXT: Final = (
    "Luck: nested lines of a game (over 1.5 and over 2.5) win and lose together and count as one "
    'outcome. "About": different markets of one game count as independent, or there are too many '
    "bets to add up every way in which they can end."
)
"""What stands below luck that is not exact."""


class Grouping(Enum):
    """What reports are split by."""

    BOOKMAKER = "bookmaker"
    SPORT = "sport"
    MARKET = "market"
    PRESET = "preset"
    MONTH = "month"
    """Of the kick-off; of the bet where that is not known."""


_USUAL: Final = 0.4
"""How often something is to happen by chance for nobody to ask why it did."""
_HARDLY_EVER: Final = 10_000
NONE: Final = "none"
"""The label of bets that have nothing to be split by."""
_LABELS: Final[dict[Grouping, Callable[[PlacedBet], str]]] = {
    Grouping.BOOKMAKER: lambda bet: bet.bookmaker,
    Grouping.SPORT: lambda bet: sport_title(bet.sport) if bet.sport else "",
    Grouping.MARKET: lambda bet: market_title(bet.market_type) if bet.market_type else "",
    Grouping.PRESET: lambda bet: bet.preset,
}


class OneClose(NamedTuple):
    """Bets whose closing lines are all of one reference and by one method (D117)."""

    by: CloseBy
    """With the reference by name; without one where no close is recorded with one."""
    bets: list[PlacedBet]
    """All of them; those closed otherwise have no close here, and why."""
    left_out: int
    """How many those are."""

    @property
    def text(self) -> str:
        """What CLV is measured by, and what it leaves out; empty where there is no close."""
        if not self.left_out and not any(bet.clv_pct is not None for bet in self.bets):
            return ""
        if not self.left_out:
            return f"CLV {self.by.text}"
        some = f"{self.left_out} close{'' if self.left_out == 1 else 's'}"
        return f"CLV {self.by.text}; {some} by another reference or method left out"


def by_one_close(
    bets: Iterable[PlacedBet], by: CloseBy, *, is_method_fixed: bool = False
) -> OneClose:
    """Return bets with the closes that can be compared.

    A recorded close is devigged again from its line. One recorded before that was kept counts where
    its own method is the one. Its reference is then whom the bet was judged by.

    Args:
        bets: Any bets.
        by: Whose close; without a reference the one that closed most bets.
        is_method_fixed: Whether no other method will do. Else one that measures more closes does.
    """
    held = list(bets)
    names = Counter(name for bet in held if (name := _closer(bet)))
    usual = min(names, key=lambda name: (-names[name], name), default="")
    same = {fold_name(by.reference)} if by.reference else {fold_name(usual), ""}
    method = by.method
    if not is_method_fixed:
        alone = [bet.close for bet in held if bet.close is not None and not bet.close.line]
        counts = Counter(close.method for close in alone if close.is_there)
        method = max((by.method, *sorted(counts)), key=lambda each: counts[each])
    measured, left_out = list[PlacedBet](), 0
    for bet in held:
        close = bet.close
        if close is not None and close.is_there:
            is_same = fold_name(_closer(bet)) in same
            found = devigged_by(close, method) if is_same else None
            left_out += found is None
            why = CloseBy(_closer(bet), close.method).text
            bet = msgspec.structs.replace(bet, close=found or ClosingLine(why=why))
        measured.append(bet)
    return OneClose(CloseBy(by.reference or usual, method), measured, left_out)


def _closer(bet: PlacedBet) -> str:
    """Return whose close a bet has; empty where that was not recorded, or it has none."""
    if bet.close is None or not bet.close.is_there:
        return ""
    return bet.close.reference or bet.reference


def in_order(bets: Iterable[PlacedBet]) -> list[tuple[PlacedBet, SettledBet]]:
    """Return the settled bets by kick-off, each with what reports count of it; no practice."""
    ordered = sorted(counted(bets), key=lambda bet: bet.order)
    games = GamesOfBets(ordered)
    found = []
    for bet in ordered:
        each = bet.as_settled()
        if each is not None:
            game = games.of(bet)
            draw, wins, push = _draw_of(bet, game)
            each = each._replace(game=game, outcome=_outcome_of(bet, game))
            found.append((bet, each._replace(line=draw, wins=wins, push=push)))
    return found


def _outcome_of(bet: PlacedBet, game: str | None) -> _Outcome | None:
    """Return what bets share that win and lose together; None where nobody tells."""
    if game is None:
        return None
    what = (bet.market_type, bet.period, bet.selection)
    return _named(game, *what, bet.match_name, bet.sport, in_play=_in_play(bet)) or (game, *what)


def _draw_of(
    bet: PlacedBet, game: str | None
) -> tuple[Hashable, tuple[float, float] | None, float | None]:
    """Return what bets share that one number decides, which win this one, and which it pushes at.

    None where nobody tells. In play a handicap may count from the score so far: its sides exclude
    each other, and no other line is on its draw.
    """
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    if game is None or read is None:
        return None, None, None
    kind = _MARGINS.get(bet.market_type, bet.market_type)
    if _in_play(bet) and bet.market_type in _FROM_THE_SCORE:
        return (game, bet.market_type, bet.period, read.key), None, None
    if kind == "yes_no" and not read.key:
        return None, None, None  # nobody tells the question
    wins = _winning_numbers(read.side, read.line)
    if wins is None:
        return None, None, None
    subject, _, _ = read.rank
    return (game, kind, bet.period, subject), wins, _push_of(bet, read.side, read.line or 0.0)


def _push_of(bet: PlacedBet, side: str, line: float) -> float | None:
    """Return the number with which a side comes back: of goals, or of the home team's margin."""
    if not line.is_integer():
        return None
    if side in ("over", "under"):
        return line
    if side in ("home", "away") and bet.market_type in ("spread", "draw_no_bet"):
        return -line
    if (bet.market_type, bet.period) == ("moneyline", 0) and bet.sport in _NEVER_LEVEL:
        return 0.0
    return None


def _winning_numbers(side: str, line: float | None) -> tuple[float, float] | None:
    """Return the least and greatest whole number with which a side wins.

    Of goals or points, or of how many more the home team has (``line`` is its handicap); None of
    "no draw", which wins with both large and small ones. A quarter line wins where half of it does.
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


def _in_play(bet: PlacedBet) -> bool:
    return bet.kick_off is not None and bet.placed_at >= bet.kick_off


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
    """Return how often chance alone does as well, or as badly, in words; ``about`` if not exact."""
    if found.chance is None or found.bad_chance is None:
        return ""
    share = min(found.chance, found.bad_chance)
    side = "by chance" if found.chance <= found.bad_chance else "as bad by chance"
    if share > _USUAL:
        return "what chance alone does"
    times = 1 / share if share > 0 else math.inf
    about = "" if found.is_exact else "about "
    return f"{about}one in {times:,.0f} {side}" if times < _HARDLY_EVER else f"hardly ever {side}"


def by_currency(bets: Iterable[PlacedBet]) -> dict[str, list[PlacedBet]]:
    """Return the bets by currency, the one with most bets first."""
    groups: dict[str, list[PlacedBet]] = {}
    for bet in bets:
        groups.setdefault(bet.currency, []).append(bet)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def whole_report(bets: Iterable[PlacedBet]) -> Report:
    """Return the report over bets of one currency; open ones are not counted."""
    return report([each for _, each in in_order(bets)])


def split_report(
    bets: Iterable[PlacedBet], by: Grouping, zone: tzinfo | None = UTC
) -> dict[str, Report]:
    """Return reports over bets of one currency by label; months in order, others by turnover."""
    ordered = in_order(bets)
    labels = [_label(bet, by, zone) for bet, _ in ordered]
    if by is Grouping.BOOKMAKER:
        labels = _one_spelling(labels)
    found = reports_by([each for _, each in ordered], labels)
    if by is Grouping.MONTH:
        return found
    return dict(sorted(found.items(), key=lambda group: (-group[1].staked, group[0])))


def _one_spelling(names: Sequence[str]) -> list[str]:
    """Return each bookmaker's name as most bets have it: files spell them as they like."""
    keys = [shipped_profiles().canonical(name) or fold_name(name) for name in names]
    spelt = defaultdict[str, Counter[str]](Counter)
    for key, name in zip(keys, names, strict=True):
        spelt[key][name] += 1
    return [spelt[key].most_common(1)[0][0] for key in keys]


def _label(bet: PlacedBet, by: Grouping, zone: tzinfo | None) -> str:
    if by is Grouping.MONTH:
        moment = datetime.fromtimestamp(bet.order[0] / 1000, UTC).astimezone(zone)
        return f"{moment:%Y-%m}"
    return _LABELS[by](bet) or NONE
