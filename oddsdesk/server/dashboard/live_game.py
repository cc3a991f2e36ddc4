"""The page of a game: its markets as tables, and what became of the price in a link."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract import resources
from oddsdesk.contract.competitions import competition_title
from oddsdesk.contract.identity import dated_game_title
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.profiles import is_delayed
from oddsdesk.pricing.selections import read_selection
from oddsdesk.server.dashboard import GAME
from oddsdesk.server.dashboard.live_prices import (
    ERROR,
    Age,
    ShownBet,
    age_of,
    best_of,
    bets_of_game,
    doubts_of,
    net_of,
    odds_text,
)
from oddsdesk.server.endpoints import lists
from oddsdesk.server.gate import Call
from oddsdesk.server.rest import Refusal, read_query

_PERIOD: Final = re.compile(r"[0-9]{1,3}", re.ASCII)
_ODDS: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,9})?", re.ASCII)

_Bets = Mapping[tuple[str, int, str, str], ShownBet]
"""By market type, period, selection and bookmaker."""


class Linked(NamedTuple):
    """The price that a link names."""

    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float | None
    """None: not said."""
    is_leg: bool = False
    """Whether it is a leg of an opportunity, which need not be value."""

    @property
    def words(self) -> str:
        """The price as text."""
        odds = "" if self.odds is None else f"{odds_text(self.odds)} for "
        return f"{odds}{self.selection} at {self.bookmaker}"


class Outcome(NamedTuple):
    """What became of the price in a link."""

    text: str
    is_good: bool
    """Whether it is worth as much as the link said, or more, and nothing speaks against it."""


class Cell(NamedTuple):
    """A price of the matrix; ``bet`` if it is a value bet."""

    odds: float | None
    bet: ShownBet | None = None
    is_linked: bool = False
    is_best: bool = False
    doubt: str = ""


class Column(NamedTuple):
    """A bookmaker of a market, and the age of its prices."""

    name: str
    age: Age | None


class Row(NamedTuple):
    """A selection with its prices; ``limit`` is the sharp book's maximum bet."""

    selection: str
    limit: float | None
    sharp: float | None
    best: float | None
    best_at: str
    cells: list[Cell]


class MarketTable(NamedTuple):
    """One market of the matrix."""

    ident: str
    title: str
    sharp: Column
    columns: list[Column]
    rows: list[Row]
    best_place: int
    """Before which column the best prices are: the linked bookmaker's may come first."""
    has_value: bool
    has_sure_value: bool
    is_linked: bool


def read_game(
    call: Call, path: str, texts: Mapping[str, str], reference: str, method: str
) -> dict[str, Any]:
    """Return what the page of a game shows; ``method`` is how the sharp book is devigged."""
    ident, linked = path.removeprefix(GAME), linked_in(texts)
    filled: dict[str, Any] = {"tables": [], "why": [], "link": None, "heading": "Game"}
    filled |= {"game": None, "has_bets": call.caller.rights.value_bets}
    try:
        asked = read_query(b"", lists.GAME.parameters)
        found = lists.GAME.answer(
            msgspec.structs.replace(call, asked=asked, path={"game_id": ident})
        ).data
    except Refusal as refusal:
        gone = refusal.code.status == 404
        why = "This game has no prices from the last 10 minutes." if gone else refusal.message
        if gone and linked is not None and linked.odds is not None:
            said = f"The price in the link was {linked.words}."
            filled["link"] = Outcome(said, is_good=False)
        return filled | {"why": [why], "status": refusal.code.status}
    asked = read_query(b"limit=500&min_ev=0", lists.VALUE_BETS.parameters)
    bets = bets_of_game(msgspec.structs.replace(call, asked=asked), found)
    tables = _Tables(found, bets, linked, call.now_ms, method)
    markets = sorted(found.markets, key=tables.rank)
    filled["tables"] = [tables.table(each, reference) for each in markets]
    if linked is not None:
        filled["link"] = tables.outcome(linked, has_bets=filled["has_bets"])
    title = dated_game_title(found.match_name)
    competition = competition_title(found.competition)
    return filled | {"heading": title, "game": found, "competition": competition}


def linked_in(texts: Mapping[str, str]) -> Linked | None:
    """Return the price that an address names; None if it names none or is malformed."""
    market_type, period, selection, bookmaker, odds = (
        texts.get(name, "")[:200] for name in Linked._fields[:5]
    )
    is_whole = market_type and selection and bookmaker and _PERIOD.fullmatch(period)
    if not is_whole or not (not odds or _ODDS.fullmatch(odds)):
        return None
    said = float(odds) if odds else None
    return Linked(market_type, int(period), selection, bookmaker, said, "leg" in texts)


class _Tables:
    """Makes the tables of a game."""

    def __init__(
        self,
        game: resources.GameMatrix,
        bets: _Bets,
        linked: Linked | None,
        now_ms: int,
        method: str,
    ) -> None:
        self._game = game
        self._bets = bets
        self._linked = linked
        self._now_ms = now_ms
        self._doubts = {_key(each): doubts_of(game, each, method) for each in game.markets}

    def rank(self, market: resources.MarketMatrix) -> tuple[Any, ...]:
        """Return the place of a market: the linked one, those with value, the usual order."""
        has_value = any(key[:2] == _key(market) for key in self._bets)
        rank = MARKET_RANK.get(market.market_type, len(MARKET_RANK))
        return not self._is_linked(market), not has_value, market.period, rank, market.market_type

    def table(self, market: resources.MarketMatrix, reference: str) -> MarketTable:
        """Return the table of a market."""
        here, is_linked = _key(market), self._is_linked(market)
        seen_at = {
            name: cell.scraped_at
            for row in market.selections
            for name, cell in row.books.items()
            if cell is not None
        }
        ages = {name: self._age(at) for name, at in seen_at.items()}
        best = {row.selection: self._best(here, row, ages) for row in market.selections}
        often_best = {name for names, _ in best.values() for name in names}
        bets = {key: each for key, each in self._bets.items() if key[:2] == here}
        with_value = {bookmaker for *_, bookmaker in bets}
        wanted = self._linked.bookmaker if self._linked is not None and is_linked else ""
        names = sorted(
            market.bookmakers,
            key=lambda name: (name != wanted, name not in with_value, name not in often_best),
        )
        rows = [
            self._row(here, row, names, best[row.selection])
            for row in sorted(market.selections, key=self._is_beside)
        ]
        sharp_age = self._age(market.reference_scraped_at)
        return MarketTable(
            f"market-{market.market_type}-{market.period}",
            f"{market_title(market.market_type)}, {market.period_label}",
            Column(reference, sharp_age),
            [Column(name, ages.get(name)) for name in names],
            rows,
            1 if len(names) > 1 and names[0] == wanted else 0,
            bool(bets),
            any(not each.is_doubtful for each in bets.values()),
            is_linked,
        )

    def outcome(self, linked: Linked, *, has_bets: bool) -> Outcome:
        """Return what became of the price in a link."""
        at = (linked.market_type, linked.period)
        market = next((each for each in self._game.markets if _key(each) == at), None)
        rows = [] if market is None else market.selections
        row = next((row for row in rows if row.selection == linked.selection), None)
        cell = None if row is None else row.books.get(linked.bookmaker)
        if row is None or cell is None or cell.odds is None:
            said = f"The price in the link, {linked.words}, is no longer offered or is stale."
            return Outcome(said, is_good=False)
        doubt = self._doubts[at].get((linked.selection, linked.bookmaker), "")
        bet = None if doubt else self._bets.get(linked[:4])
        is_valued = has_bets and not linked.is_leg
        worth = self._worth(row, doubt, bet) if is_valued or doubt else ""
        odds = odds_text(cell.odds)
        if linked.odds is None:
            said = f"{linked.bookmaker} offers {odds} for {linked.selection}."
        elif abs(cell.odds - linked.odds) < 1e-9:
            said = f"The price in the link still stands: {linked.words}."
        else:
            said = f"The price in the link was {linked.words}. It is {odds} now."
        is_sure = not doubt and (not is_valued or (bet is not None and not bet.is_doubtful))
        is_good = is_sure and (linked.odds is None or cell.odds > linked.odds - 1e-9)
        return Outcome(f"{said} {worth}".strip(), is_good)

    def _worth(self, row: resources.MatrixRow, doubt: str, bet: ShownBet | None) -> str:
        if doubt == ERROR:
            return "It is likely an error: it is far above fair odds."
        if doubt:
            return f"It is no value bet: {doubt}."
        if bet is None and row.reference is None:
            said = "The sharp book has no price for this from the last 10 minutes"
            return f"{said}, so its EV is not known here."
        if bet is None:
            return "It is no value bet now."
        said = f"EV {bet.ev:+.2f} % now"
        if bet.has_started:
            return f"{said}, but the game has started and the price is not marked as in play."
        if is_delayed(bet.bet.bookmaker):
            return f"{said}, but this feed is delayed."
        for age, whose in ((bet.sharp_age, "the sharp book's"), (bet.age, "this")):
            if age.is_old:
                return f"{said}, but {whose} price is more than {age.old_after_s // 60} min old."
        return f"{said}."

    def _is_linked(self, market: resources.MarketMatrix) -> bool:
        return self._linked is not None and self._linked[:2] == _key(market)

    def _is_beside(self, row: resources.MatrixRow) -> bool:
        """Return False, which sorts first, for the line of the linked selection."""
        linked = self._linked
        if linked is None:
            return False
        sides = [
            read_selection(linked.market_type, self._game.match_name, each)
            for each in (row.selection, linked.selection)
        ]
        keys = [each if each is None else each.key for each in sides]
        return keys[1] is None or keys[0] != keys[1]

    def _age(self, scraped_at: str | None) -> Age | None:
        if scraped_at is None:
            return None
        return age_of(parse_ms(scraped_at), self._now_ms, in_play=self._game.is_live)

    def _best(
        self, here: tuple[str, int], row: resources.MatrixRow, ages: Mapping[str, Age | None]
    ) -> tuple[list[str], float]:
        prices = {}
        for name, cell in row.books.items():
            if cell is not None and cell.odds is not None:
                age = ages.get(name)
                if (row.selection, name) not in self._doubts[here]:
                    prices[name] = net_of(name, cell.odds), age is None or age.is_old
        return best_of(prices)

    def _row(
        self,
        here: tuple[str, int],
        row: resources.MatrixRow,
        names: list[str],
        best: tuple[list[str], float],
    ) -> Row:
        cells = []
        for name in names:
            found = row.books.get(name)
            linked = self._linked
            cells.append(
                Cell(
                    None if found is None else found.odds,
                    self._bets.get((*here, row.selection, name)),
                    linked is not None and linked[:4] == (*here, row.selection, name),
                    name in best[0],
                    self._doubts[here].get((row.selection, name), ""),
                )
            )
        sharp, (at, _) = row.reference, best
        first = row.books.get(at[0]) if at else None
        return Row(
            row.selection,
            sharp.liquidity if sharp else None,
            sharp.odds if sharp else None,
            None if first is None else first.odds,
            f"{at[0]} +{len(at) - 1}" if len(at) > 1 else "".join(at),
            cells,
        )


def _key(market: resources.MarketMatrix) -> tuple[str, int]:
    return market.market_type, market.period
