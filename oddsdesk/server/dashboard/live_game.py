"""The page of a game: its markets as tables, and what became of the price in a link."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract import resources
from oddsdesk.contract.competitions import competition_title
from oddsdesk.contract.identity import dated_game_title
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.times import WINDOW_MS, parse_ms
from oddsdesk.pricing.profiles import is_delayed
from oddsdesk.pricing.selections import read_selection
from oddsdesk.server.dashboard import GAME
from oddsdesk.server.dashboard.live_prices import (
    WITHOUT_PUSHES,
    Age,
    JudgedGame,
    JudgedPrice,
    age_of,
    odds_text,
)
from oddsdesk.server.dashboard.live_rows import JudgedGames, read_prices
from oddsdesk.server.dashboard.opportunities import Prices
from oddsdesk.server.endpoints import lists
from oddsdesk.server.gate import Call
from oddsdesk.server.rest import Refusal, read_query

_PERIOD: Final = re.compile(r"[0-9]{1,3}", re.ASCII)
_ODDS: Final = re.compile(r"[0-9]{1,6}([.,][0-9]{1,9})?", re.ASCII)


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
    is_lay: bool = False
    """Whether it is odds to lay."""

    @property
    def words(self) -> str:
        """The price as text."""
        odds = "" if self.odds is None else f"{odds_text(self.odds)} for "
        laid = "laying " if self.is_lay else ""
        return f"{odds}{laid}{self.selection} at {self.bookmaker}"


class Outcome(NamedTuple):
    """What became of the price in a link."""

    text: str
    is_good: bool
    """Whether it is worth as much as the link said, or more, and nothing speaks against it."""
    turns_at: int | None = None
    """When a price of it is old (ms): it is no longer good then."""


class Cell(NamedTuple):
    """A price of the matrix; ``bet`` if it is a value bet, or is one but for its age."""

    odds: float | None
    bet: JudgedPrice | None = None
    is_sure: bool = False
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
    call: Call, path: str, texts: Mapping[str, str], reference: str, judge: JudgedGames
) -> dict[str, Any]:
    """Return what the page of a game shows."""
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
    prices = read_prices(call, reference, found)
    judged = judge.judge_game(found.game_id, prices)
    tables = _Tables(found, judged, linked, call.now_ms, has_bets=filled["has_bets"])
    markets = sorted(found.markets, key=tables.rank)
    filled["tables"] = [tables.table(each, reference) for each in markets]
    if linked is not None:
        is_lay = linked.is_lay
        filled["link"] = _outcome_of_lay(linked, prices) if is_lay else tables.outcome(linked)
    starts = None if found.match_date is None else parse_ms(found.match_date)
    return filled | {
        "heading": dated_game_title(found.match_name),
        "game": found,
        "competition": competition_title(found.competition),
        "has_started": not found.is_live and starts is not None and call.now_ms > starts,
    }


def linked_in(texts: Mapping[str, str]) -> Linked | None:
    """Return the price that an address names; None if it names none or is malformed."""
    market_type, period, selection, bookmaker, odds = (
        texts.get(name, "")[:200] for name in Linked._fields[:5]
    )
    is_whole = market_type and selection and bookmaker and _PERIOD.fullmatch(period)
    if not is_whole or not (not odds or _ODDS.fullmatch(odds)):
        return None
    said = float(odds.replace(",", ".")) if odds else None
    leg = texts.get("leg")
    return Linked(
        market_type, int(period), selection, bookmaker, said, leg is not None, leg == "lay"
    )


def _outcome_of_lay(linked: Linked, prices: Prices) -> Outcome:
    """Return what became of the odds to lay in a link; the tables have odds to back only."""
    row = next(
        (
            row
            for row in prices.rows
            if (row.market_type, row.period, row.bookmaker)
            == (linked.market_type, linked.period, linked.bookmaker)
        ),
        None,
    )
    offer = None if row is None or not row.offers else row.offers.get(linked.selection)
    if row is None or offer is None or not offer.lay:
        said = f"The price in the link was {linked.words}. Nothing to lay is known now."
        return Outcome(said, is_good=False)
    odds, amount = offer.lay[0]
    laid, at = f"up to {amount:,.2f} {offer.currency or ''}".rstrip(), odds_text(odds)
    if linked.odds is None:
        said = f"{linked.bookmaker} offers {at} for laying {linked.selection}"
    elif abs(odds - linked.odds) < 1e-9:
        said = f"The price in the link still stands: {linked.words}"
    else:
        said = f"The price in the link was {linked.words}. It is {at} now"
    said += f", {laid} of backer's stakes."
    age = age_of(parse_ms(row.scraped_at), prices.now_ms, in_play=row.is_live)
    if age.is_old:
        said += f" This price is more than {age.old_after_s // 60} min old."
    is_good = not age.is_old and (linked.odds is None or odds < linked.odds + 1e-9)
    turns_at = parse_ms(row.scraped_at) + age.old_after_s * 1_000
    return Outcome(said, is_good, turns_at if is_good else None)


class _Tables:
    """Makes the tables of a game."""

    def __init__(
        self,
        game: resources.GameMatrix,
        judged: JudgedGame,
        linked: Linked | None,
        now_ms: int,
        *,
        has_bets: bool,
    ) -> None:
        self._game = game
        self._judged = judged
        self._linked = linked
        self._now_ms = now_ms
        self._has_bets = has_bets
        shown = judged.prices.items() if has_bets else ()
        self._bets = {key: price for key, price in shown if price.is_shown(now_ms)}

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
        best = {
            row.selection: self._judged.best.get((*here, row.selection), ())
            for row in market.selections
        }
        often_best = {name for names in best.values() for name in names}
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
            any(each.is_sure(self._now_ms) for each in bets.values()),
            is_linked,
        )

    def outcome(self, linked: Linked) -> Outcome:
        """Return what became of the price in a link."""
        if gone := self._why_gone(linked):
            return Outcome(f"The price in the link was {linked.words}. {gone}", is_good=False)
        price = self._judged.prices.get(linked[:4])
        if price is None:  # withdrawn between the two readings
            said = f"The price in the link, {linked.words}, is no longer offered."
            return Outcome(said, is_good=False)
        is_valued = self._has_bets and not linked.is_leg
        worth = self._worth(price) if is_valued else ""
        if price.doubt and not is_valued:
            worth = f"Check it: {price.doubt}."
        odds = odds_text(price.odds)
        if linked.odds is None:
            said = f"{linked.bookmaker} offers {odds} for {linked.selection}."
        elif abs(price.odds - linked.odds) < 1e-9:
            said = f"The price in the link still stands: {linked.words}."
        else:
            said = f"The price in the link was {linked.words}. It is {odds} now."
        is_sure = price.is_sure(self._now_ms) if is_valued else not price.doubt
        is_good = is_sure and (linked.odds is None or price.odds > linked.odds - 1e-9)
        ages = price.age(self._now_ms), price.sharp_age(self._now_ms)
        turns_at = min(parse_ms(age.at) + age.old_after_s * 1_000 for age in ages)
        return Outcome(
            f"{said} {worth}".strip(), is_good, turns_at if is_good and is_valued else None
        )

    def _why_gone(self, linked: Linked) -> str:
        """Return which part of the linked price is not there; empty if it is."""
        at = (linked.market_type, linked.period)
        market = next((each for each in self._game.markets if _key(each) == at), None)
        if market is None:
            return "This market has no prices from the last 10 minutes."
        row = next((row for row in market.selections if row.selection == linked.selection), None)
        cell = None if row is None else row.books.get(linked.bookmaker)
        if cell is not None and cell.odds is not None:
            return ""
        if linked.bookmaker in market.bookmakers:
            return f"{linked.bookmaker} no longer offers it."
        return f"{linked.bookmaker} has no prices for this market from the last 10 minutes."

    def _worth(self, price: JudgedPrice) -> str:
        now_ms = self._now_ms
        if not price.is_shown(now_ms):
            if price.ev is not None and now_ms - price.sharp_seen_at > WINDOW_MS:
                said = "The sharp book has no price for this from the last 10 minutes"
                said += ", so its EV is not known here."
                return f"{said} Check it: {price.doubt}." if price.doubt else said
            return f"It is not a value bet now: {price.why}."
        said = f"EV {price.ev:+.2f} % now"
        if price.for_sale:
            said += f", {price.for_sale}"
        if not price.has_pushes:
            said += f" ({WITHOUT_PUSHES})"
        if price.has_started(now_ms):
            return f"{said}, but the game has started and the price is not marked as in play."
        if is_delayed(price.bookmaker):
            return f"{said}, but this feed is delayed."
        ages = ((price.sharp_age(now_ms), "the sharp book's"), (price.age(now_ms), "this"))
        for age, whose in ages:
            if age.is_old:
                return f"{said}, but {whose} price is more than {age.old_after_s // 60} min old."
        return f"{said}." if price.is_value else f"{said}, but {price.why}."

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

    def _row(
        self,
        here: tuple[str, int],
        row: resources.MatrixRow,
        names: list[str],
        best: tuple[str, ...],
    ) -> Row:
        cells = []
        for name in names:
            found, key = row.books.get(name), (*here, row.selection, name)
            linked, bet, price = self._linked, self._bets.get(key), self._judged.prices.get(key)
            cells.append(
                Cell(
                    None if found is None else found.odds,
                    bet,
                    bet is not None and bet.is_sure(self._now_ms),
                    linked is not None and not linked.is_lay and linked[:4] == key,
                    name in best,
                    "" if price is None else price.doubt,
                )
            )
        sharp = row.reference
        first = row.books.get(best[0]) if best else None
        return Row(
            row.selection,
            sharp.liquidity if sharp else None,
            sharp.odds if sharp else None,
            None if first is None else first.odds,
            f"{best[0]} +{len(best) - 1}" if len(best) > 1 else "".join(best),
            cells,
        )


def _key(market: resources.MarketMatrix) -> tuple[str, int]:
    return market.market_type, market.period
