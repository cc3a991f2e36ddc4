"""Every price of one moment, judged from the rules about money (`tests.money_count`).

Shares no code with `oddsdesk.pricing`, so that a mistake there cannot repeat itself here. What
only history can tell (a bookmaker's rhythm, a draw that it priced before) is not in one moment:
rhythms are unknown, and nothing is withdrawn.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from math import ceil, floor

from tests.money_quotes import (
    AWAY,
    DRAW,
    HANDICAPS,
    HOME,
    NO,
    OVER,
    TOTALS,
    UNDER,
    YES,
    Group,
    Profile,
    Quote,
)

REFERENCE = "Pinnacle"
OVERTIME_SPORTS = ("Hockey", "Basketball", "Baseball", "AmericanFootball")
OVERTIME_MARKETS = ("total", "team_total", "spread")
NEVER_VALUED = {"not_comparable", "unread_outcome", "other_rules", "crossed_reference"}


@dataclass(frozen=True)
class Fair:
    """The reference's opinion of one outcome: devigged price, S, and 1/odds of the other sides."""

    odds: float
    total: float
    others: float


@dataclass(frozen=True)
class Push:
    """How a line may push: `share` of the stake comes back, with `chance` (None: unknown).

    On a quarter line the other half is then won or lost.
    """

    share: float = 0.0
    chance: float | None = 0.0
    half_won: bool = False

    @property
    def decided(self) -> float:
        return 1.0 if self.chance is None else 1 - self.share * self.chance


@dataclass(eq=False)
class Row:
    """One price and all that is said of it; percentages and stakes not rounded but by the step."""

    quote: Quote
    selection: str
    group: Group
    side: str
    odds: float
    net: float
    fair: Fair
    push: Push
    ev_pct: float
    gross_ev_pct: float
    cautions: tuple[str, ...]
    keeps_rules: bool
    in_contract: bool
    stake: float = 0.0
    bound: str | None = None
    same_bet_as: "Row | None" = None

    @property
    def service_ev_pct(self) -> float | None:
        """What the contract's formula says of the gross price; None where it values nothing."""
        return None if NEVER_VALUED.intersection(self.cautions) else self.gross_ev_pct

    @property
    def per(self) -> str:
        return "decided" if self.push.chance is None else "staked"

    @property
    def listed(self) -> bool:
        return self.keeps_rules and not self.cautions

    def shown(self) -> dict:
        """The row as `bets --json` prints it, without the id of the game."""
        quote, service, other = self.quote, self.service_ev_pct, self.same_bet_as
        return {
            "match_name": quote.game[1],
            "competition": quote.game[0],
            "market_type": quote.market_type,
            "period": quote.period,
            "selection": self.selection,
            "bookmaker": quote.bookmaker,
            "odds": self.odds,
            "net_odds": round(self.net, 4),
            "fair_odds": round(self.fair.odds, 4),
            "ev_pct": round(self.ev_pct, 2),
            "per": self.per,
            "derived": None,
            "band_pct": None,
            "service_ev_pct": None if service is None else round(service, 2),
            "cautions": list(self.cautions),
            "stake": self.stake,
            "bound": self.bound,
            "same_bet_as": other and other.quote.bookmaker,
            "same_bet_selection": other and other.selection,
        }

    @property
    def line_group(self) -> tuple:
        return *self.quote.market, self.group

    @property
    def outcome(self) -> tuple:
        """What is bet on: of a football game to come what a unit pays by every margin."""
        game, market_type, period = self.quote.market
        pays = _pays_by_margin(market_type, self.group[1], self.side)
        if self.quote.sport != "Football" or self.quote.live or None in pays:
            return *self.line_group, self.side
        return game, period, *pays


@cache
def _pays_by_margin(market_type: str, line: float | None, side: str) -> tuple[float | None, ...]:
    return tuple(_pays(market_type, line, side, margin) for margin in range(-30, 31))


def _pays(market_type: str, line: float | None, side: str, margin: int) -> float | None:
    """What a unit wins at even odds, by the goals that home is ahead; None where others count."""
    if market_type not in ("moneyline", "draw_no_bet", "spread", "3way_handicap"):
        return None
    halves = [floor((line or 0) * 2) / 2, ceil((line or 0) * 2) / 2]
    ahead = [margin + half for half in halves]
    if side == DRAW:
        return 1.0 if ahead[0] == 0 else -1.0
    won = [(each > 0) - (each < 0) if side == HOME else (each < 0) - (each > 0) for each in ahead]
    if market_type in ("moneyline", "3way_handicap"):
        won = [each or -1 for each in won]
    return sum(won) / 2


class Moment:
    """The quotes of one moment, which is that of the newest of them."""

    def __init__(
        self, quotes: list[Quote], profiles: dict[str, Profile], reference: str = REFERENCE
    ) -> None:
        self._reference = reference
        self.now = max(quote.seen for quote in quotes)
        self._profiles = profiles
        self._quotes = quotes
        self._by_market = {(*quote.market, quote.bookmaker): quote for quote in quotes}
        self._three_way: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        for quote in quotes:
            form = _is_three_way(quote)
            if form is not None:
                self._three_way[quote.game[0], quote.bookmaker][form] += 1
        self._fair = cache(_fair_odds)

    def rows(self) -> Iterator[Row]:
        """Every price that can be reckoned against the reference's."""
        for quote in self._quotes:
            reference = self._by_market.get((*quote.market, self._reference))
            if reference is None or quote is reference:
                continue
            for selection, read in quote.sides.items():
                if read and read in self._fair(reference):
                    yield self._row(quote, reference, selection, *read)

    def _row(self, quote: Quote, reference: Quote, selection: str, group: Group, side: str) -> Row:
        odds, market_type = quote.odds[selection], quote.market_type
        net = self._profiles.get(quote.bookmaker, Profile()).net(odds)
        fair = self._fair(reference)[group, side]
        push = self._push(reference, quote, group, side)
        decided, gross = _ev_pct(market_type, net, fair), _ev_pct(market_type, odds, fair)
        ev_pct = decided * push.decided
        cautions = tuple(self._cautions(quote, reference, group))
        if _above_window(market_type, net, decided, fair):
            cautions = (*cautions, "above_window")
        cautions = (*cautions, *line_doubts(quote, group))
        return Row(
            *(quote, selection, group, side, odds, net, fair, push, ev_pct, gross, cautions),
            keeps_rules=_least_rules(net, ev_pct, fair),
            in_contract=self._in_contract(quote, reference, cautions)
            and _least_rules(odds, gross, fair)
            and not _above_window(market_type, odds, gross, fair),
        )

    def _cautions(self, quote: Quote, reference: Quote, group: Group) -> Iterator[str]:
        """Those of D45 that one moment can tell up to ``above_window``, in their order."""
        if not _comparable(quote, reference, group):
            yield "not_comparable"
        if None in quote.sides.values() or None in reference.sides.values():
            yield "unread_outcome"
        if self._other_rules(quote, reference, group):
            yield "other_rules"
        if quote.live != reference.live:
            yield "state_differs"
        if quote.live and abs(quote.seen - reference.seen) > timedelta(seconds=60):
            yield "apart"
        for seen, caution in ((quote, "stale"), (reference, "reference_stale")):
            if self.now - seen.seen > timedelta(seconds=60 if seen.live else 180):
                yield caution
        kickoff = reference.kickoff or quote.kickoff
        if not quote.live and kickoff is not None and self.now > kickoff:
            yield "started"
        if any(fair.total < 1 for (at, _), fair in self._fair(reference).items() if at == group):
            yield "crossed_reference"

    def _other_rules(self, quote: Quote, reference: Quote, group: Group) -> bool:
        if quote.sport not in OVERTIME_SPORTS or quote.market_type not in OVERTIME_MARKETS:
            return False
        if quote.period != 0 or (quote.market_type == "spread" and abs(group[1] or 0) >= 1.5):
            return False
        forms = {self._prices_three_way(quote.game, q.bookmaker) for q in (quote, reference)}
        return forms == {True, False}

    def _prices_three_way(self, game: tuple[str, str], bookmaker: str) -> bool | None:
        """By its moneyline of the game, else by most of its moneylines in the competition."""
        moneyline = self._by_market.get((game, "moneyline", 0, bookmaker))
        own = None if moneyline is None else _is_three_way(moneyline)
        usual = self._three_way[game[0], bookmaker]
        if own is not None or usual[True] == usual[False]:
            return own
        return usual[True] > usual[False]

    def _in_contract(self, quote: Quote, reference: Quote, cautions: tuple[str, ...]) -> bool:
        """What the contract asks besides the figures, without what D48 to D50 add to it."""
        fresh = all(self.now - q.seen <= timedelta(minutes=15) for q in (quote, reference))
        return fresh and quote.live == reference.live and "not_comparable" not in cautions

    def _push(self, reference: Quote, quote: Quote, group: Group, side: str) -> Push:
        before = not (reference.live or quote.live)
        if quote.market_type == "draw_no_bet":
            return Push(1.0, self._draw(reference) if before else None)
        if quote.market_type not in (*HANDICAPS, *TOTALS) or group[1] is None:
            return Push()
        own = -group[1] if side in (AWAY, OVER) else group[1]
        if own % 1 == 0.5:
            return Push()
        whole = float(round(own))
        chance = None
        if whole == 0 and before and quote.market_type == "spread":
            chance = self._draw(reference)
        if chance is None:
            chance = self._between_half_lines(reference, (group[0], float(round(group[1]))))
        return Push(1.0, chance) if own == whole else Push(0.5, chance, half_won=own > whole)

    def _draw(self, reference: Quote) -> float | None:
        """The chance of a draw by the reference's three-way moneyline before kick-off."""
        key = (reference.game, "moneyline", reference.period, self._reference)
        moneyline = self._by_market.get(key)
        if moneyline is None or moneyline.live:
            return None
        fair = self._fair(moneyline).get((("", None), DRAW))
        return None if fair is None else 1 / fair.odds

    def _between_half_lines(self, reference: Quote, group: Group) -> float | None:
        """P(X > k - 0.5) - P(X > k + 0.5), for home with a handicap the other way round."""
        about, line = group
        assert line is not None
        total = reference.market_type in TOTALS
        side, step = (OVER, -0.5) if total else (HOME, 0.5)
        fair = self._fair(reference)
        likelier, rarer = (fair.get(((about, line + s), side)) for s in (step, -step))
        if likelier is None or rarer is None:
            return None
        chance = 1 / likelier.odds - 1 / rarer.odds
        return chance if 0 <= chance < 1 else None


def _is_three_way(moneyline: Quote) -> bool | None:
    if moneyline.market_type != "moneyline" or moneyline.period != 0:
        return None
    sides = {read[1] for read in moneyline.sides.values() if read}
    return True if DRAW in sides else False if {HOME, AWAY} <= sides else None


def _fair_odds(reference: Quote) -> dict[tuple[Group, str], Fair]:
    """Devig each complete line group, margin proportional to odds: n*o / (n - M*o)."""
    groups: defaultdict[Group, dict[str, float]] = defaultdict(dict)
    for text, read in reference.sides.items():
        if read:
            groups[read[0]][read[1]] = reference.odds[text]
    fairs = {}
    for group, prices in groups.items():
        if reference.market_type == "yes_no" and not group[0]:
            continue  # nobody tells which question that is
        if set(prices) != _all_sides(reference, prices):
            continue
        n, total = len(prices), sum(1 / odds for odds in prices.values())
        for side, odds in prices.items():
            rest = n - (total - 1) * odds
            if rest > 0 and n * odds / rest > 1:
                fairs[group, side] = Fair(n * odds / rest, total, total - 1 / odds)
    return fairs


def _all_sides(reference: Quote, prices: dict[str, float]) -> set[str]:
    market_type = reference.market_type
    if market_type in TOTALS:
        return {OVER, UNDER}
    if market_type in ("btts", "yes_no"):
        return {YES, NO}
    draw = market_type == "3way_handicap" or (
        market_type == "moneyline" and (reference.sport == "Football" or DRAW in prices)
    )
    return {HOME, DRAW, AWAY} if draw else {HOME, AWAY}


@cache
def line_doubts(quote: Quote, group: Group) -> list[str]:
    """What a bookmaker's own line says against its prices, no matter who else prices it (D45)."""
    if quote.market_type == "double_chance":  # two of its three sides win
        chances = {text.upper(): odds for text, odds in quote.odds.items()}
        is_whole = {"1X", "X2", "12"} <= chances.keys()
        cost = sum(1 / chances[side] for side in ("1X", "X2", "12")) if is_whole else 2
        return ["book_below_100"] if cost < 2 else []
    prices = {
        read[1]: quote.odds[text] for text, read in quote.sides.items() if read and read[0] == group
    }
    is_whole = set(prices) == _all_sides(quote, prices)
    doubts = ["book_below_100"] if is_whole and sum(1 / o for o in prices.values()) < 1 else []
    if sorted([*prices.values(), 9.0, 9.0])[1] <= 1.02:
        doubts.append("placeholder")
    return doubts


def _comparable(quote: Quote, reference: Quote, group: Group) -> bool:
    """Three-way and two-way prices settle differently (D27)."""
    book, other = (
        {read[1] for read in q.sides.values() if read and read[0] == group}
        for q in (quote, reference)
    )
    if DRAW in other:
        return DRAW in book or not {HOME, AWAY} <= book
    return DRAW not in book


def _ev_pct(market_type: str, odds: float, fair: Fair) -> float:
    """EV of a decided unit after the contract's floor, in percent."""
    floor = 1.01 * 1.03 if market_type == "player_prop" else 1.01
    return (odds / (fair.odds * floor) - 1) * 100


def _least_rules(odds: float, ev_pct: float, fair: Fair) -> bool:
    return ev_pct >= 1 and fair.total <= 1.05 and 1 / odds + fair.others <= 1.05


def _above_window(market_type: str, odds: float, ev_pct: float, fair: Fair) -> bool:
    cap = 10 if market_type in ("moneyline", "spread") else 20
    return ev_pct > cap or 1 / odds + fair.others < 0.99 or odds / fair.odds > 1.15
