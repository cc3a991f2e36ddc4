"""The pages for a phone: value bets, arbitrage and a game's prices, by the account's plan.

Every price is one that REST returns to a key of the same account; it is for reading only.
"""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

import msgspec

from oddsdesk.contract import resources
from oddsdesk.contract.access import Rights
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.identity import dated_game_title, game_id, price_page
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, format_ms
from oddsdesk.server.dashboard import GAME, LIVE, OPPORTUNITIES, UPDATES
from oddsdesk.server.dashboard.opportunities import HeldOpportunities, OpportunityLine, Prices
from oddsdesk.server.dashboard.site import Answer, Dashboard, Page, Place, Updates, moment_in_words
from oddsdesk.server.dashboard.visits import SESSION, TurnedAway, Visit
from oddsdesk.server.endpoints import lists
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.gate import Call, Endpoint, visibility_for
from oddsdesk.server.rest import BadParameterError, Refusal, read_query
from oddsdesk.store.accounts import OwnAccountError, UnknownAccountError
from oddsdesk.store.keys import Caller
from oddsdesk.store.reader import Reader

MOST_SHOWN: Final = 50
MOST_OF_ACCOUNT: Final = 4
"""Pages of an account that are kept live at a time."""
MOST_OF_ALL: Final = 200
ALIVE_S: Final = 5.0
"""How often a page that changes nothing is sent a sign of life (s)."""
AGAIN_S: Final = 10.0
"""How often figures are read again although nothing was recorded: age ends some (s)."""
_PERIOD: Final = re.compile(r"[0-9]{1,3}", re.ASCII)
_ODDS: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,9})?", re.ASCII)
_LISTS: Final = {"bets": LIVE, "games": f"{LIVE}/games", "opportunities": OPPORTUNITIES}
"""The pages that are no game's, by the name of their templates."""
_STALE_MS: Final = 15 * MINUTE_MS
"""Older prices are in no list."""


class Fields(NamedTuple):
    """What the form above the list asks for, as text."""

    min_ev: str = ""
    sport: str = ""
    bookmaker: str = ""
    q: str = ""
    kind: str = ""
    sort: str = ""

    @property
    def are_filters(self) -> bool:
        """Whether any of them hides something."""
        return any(self[:5])


class BetLine(NamedTuple):
    """A value bet with the age of its price and the page of its game."""

    bet: resources.ValueBet
    game: str
    market: str
    scraped_at: str | None
    link: str


class Cell(NamedTuple):
    """A price of the matrix; ``bet`` if it is a value bet."""

    odds: float | None
    bet: resources.ValueBet | None = None
    is_linked: bool = False
    is_best: bool = False


class Column(NamedTuple):
    """A bookmaker of a market, and when its prices were read."""

    name: str
    scraped_at: str | None
    is_reference: bool = False


class MarketTable(NamedTuple):
    """One market of the matrix."""

    ident: str
    title: str
    columns: list[Column]
    rows: list[tuple[str, float | None, list[Cell]]]
    """Each selection with the sharp book's maximum bet, and its prices."""
    has_value: bool
    is_linked: bool


class Linked(NamedTuple):
    """The price that a link names."""

    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float | None
    """None: not said."""


class PageCounts:
    """Counts the pages of each account in this process, in windows of its plan."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._window: dict[str, int] = {}

    def take_page(self, account: str, rights: Rights, now_ms: int) -> int:
        """Count one; return the seconds until more are allowed, 0 if this one is."""
        now_s = now_ms // 1_000
        started = now_s - now_s % rights.window_s
        if self._window.get(account) != started:
            self._window[account] = started
            self._counts[account] = 0
        if self._counts[account] >= rights.requests:
            return started + rights.window_s - now_s
        self._counts[account] += 1
        return 0


class LivePages:
    """The pages below ``LIVE``."""

    def __init__(self, dashboard: Dashboard, reads: ReaderPool) -> None:
        self.dashboard = dashboard
        self.service = dashboard.service
        self.reads = reads
        self._counts = PageCounts()
        self._open: Counter[str] = Counter()
        """Pages that are kept live, by account."""
        self._catalogue = [each.answer for each in lists.Catalogue().endpoints()]
        dashboard.add_places(
            {
                LIVE: Place(self.show_bets),
                f"{LIVE}/games": Place(self.show_games),
                GAME: Place(self.show_game),
                UPDATES: Place(self.send_updates),
            }
        )
        if dashboard.opportunities is not None:
            dashboard.add_places({OPPORTUNITIES: Place(self.show_opportunities)})

    async def show_bets(self, visit: Visit) -> Answer:
        """List the value bets."""
        return await self._page(visit, "live_bets.html", "Value bets")

    async def show_opportunities(self, visit: Visit) -> Answer:
        """List arbitrage, middles and low hold."""
        return await self._page(visit, "live_opportunities.html", "Arbitrage")

    async def show_games(self, visit: Visit) -> Answer:
        """List the games with current prices."""
        return await self._page(visit, "live_games.html", "Games")

    async def show_game(self, visit: Visit) -> Answer:
        """Show the matrix of a game."""
        return await self._page(visit, "live_game.html", "Game")

    async def send_updates(self, visit: Visit) -> Answer:
        """Keep a page live: send its figures again whenever they have changed."""
        if visit.header(b"sec-fetch-site") not in (b"", b"same-origin"):
            raise TurnedAway(403, "Not possible", "Another site asked for this.")
        caller, account = await self._caller(visit)
        if not caller.rights.websocket:
            raise TurnedAway(403, "Not on your plan", _not_live(caller))
        self._count(account, caller, visit.now_ms)
        if self._open[account] >= MOST_OF_ACCOUNT or self._open.total() >= MOST_OF_ALL:
            said = f"{MOST_OF_ACCOUNT} pages of an account are live at a time. Close another one."
            raise TurnedAway(429, "Too many pages", said)
        of = visit.query("of")
        path = GAME + visit.query("id") if of == "game" else _LISTS.get(of)
        if path is None:
            raise TurnedAway(404, "No such page", "There is no page at this address.")
        self._open[account] += 1
        follower = Follower(self, visit, caller, path)
        return Updates(follower.step, lambda: self._close(account))

    def _close(self, account: str) -> None:
        self._open[account] -= 1
        self._open += Counter()  # forgets those with none

    def _count(self, account: str, caller: Caller, now_ms: int) -> None:
        wait_s = self._counts.take_page(account, caller.rights, now_ms)
        if wait_s:
            again = moment_in_words(now_ms + wait_s * 1_000)
            said = f"The {caller.rights.requests:,} pages of the {caller.plan.value} plan are"
            raise TurnedAway(429, "No pages left", f"{said} used up. There are more at {again}.")

    async def _page(self, visit: Visit, template: str, title: str) -> Answer:
        caller, account = await self._caller(visit)
        self._count(account, caller, visit.now_ms)
        filled = await self.read_figures(visit.path, visit.scope["query_string"], caller)
        of = _part(visit.path)
        query = visit.scope["query_string"].decode("latin-1")
        said = {"of": of, "id": visit.path.removeprefix(GAME) if of == "game" else ""}
        filled["updates"] = ""
        if caller.rights.websocket:
            filled["updates"] = f"{UPDATES}?{urlencode(said)}&{query}".rstrip("&")
        filled["not_live"] = "" if caller.rights.websocket else _not_live(caller)
        filled["reload"] = visit.path + (f"?{query}" if query else "")
        filled["now"] = visit.now_ms
        return Page(template, filled.get("heading", title), filled, filled["status"])

    async def _caller(self, visit: Visit) -> tuple[Caller, str]:
        """Return the account as REST sees a key of it."""
        assert visit.owner is not None
        return await self.caller_of(visit.owner.account, visit.owner.session_id), (
            visit.owner.account
        )

    async def caller_of(self, account: str, session_id: int) -> Caller:
        """Return an account with its present rights.

        Raises:
            TurnedAway: it was removed just now.
        """
        try:
            found = await self.dashboard.use_access(
                lambda access: access.keys.account(account, self.service.clock())
            )
        except (UnknownAccountError, OwnAccountError):
            raise TurnedAway(404, "No such account", "The account was removed.") from None
        return Caller(-session_id, b"", found.plan, found.bookmaker)

    async def read_figures(self, path: str, query: bytes, caller: Caller) -> dict[str, Any]:
        """Return what a page shows of the odds."""
        now_ms, store = self.service.clock(), self.service.store
        held = self.dashboard.opportunities
        if path == OPPORTUNITIES and held is not None:
            return await self._opportunities(held, query, caller)
        choose = {LIVE: self._bets, f"{LIVE}/games": self._games}

        def read() -> dict[str, Any]:
            call = Call(caller, now_ms, store.reader(), {}, {}).in_stored_words()
            texts = dict(parse_qsl(query.decode("latin-1")))
            filled = choose[path](call, texts) if path in choose else _game(call, path, texts)
            return {"status": 200, **_warnings(call.reader, now_ms), **filled}

        return await self.reads.run(read, caller.key_id)

    async def _opportunities(
        self, held: HeldOpportunities, query: bytes, caller: Caller
    ) -> dict[str, Any]:
        now_ms, store = self.service.clock(), self.service.store

        def read_page() -> dict[str, Any]:
            call = Call(caller, now_ms, store.reader(), {}, {}).in_stored_words()
            fields = _fields(dict(parse_qsl(query.decode("latin-1"))))
            choices = self._choices(call) | _warnings(call.reader, now_ms)
            why = _why_no_prices(call, fields) or "No prices cover each other well enough now."
            return {"status": 200, "fields": fields, "lines": [], "why": [why], **choices}

        def read_prices() -> Prices:
            reader = store.reader()
            rows = list(_all_odds(Call(caller, now_ms, reader, {}, {})))
            draws = [
                (game, period, name) for game, name, period in reader.priced_draws(now_ms - DAY_MS)
            ]
            return Prices(rows, store.reference, draws, now_ms)

        filled = await self.reads.run(read_page, caller.key_id)
        if not caller.rights.all_bookmakers:
            said = f"The {caller.plan.value} plan has one bookmaker; an arbitrage takes several."
            return filled | {"why": [f"{said} It needs Pro."]}
        lines, read_at = await held.get(
            visibility_for(caller, {}), now_ms, lambda: self.reads.run(read_prices, caller.key_id)
        )
        wanted = [each for each in lines if _is_wanted(each, filled["fields"])]
        if wanted:
            filled |= {"why": [], "total": len(wanted), "read_at": format_ms(read_at)}
        return filled | {"lines": wanted[:MOST_SHOWN], "title_of": _title}

    def _bets(self, call: Call, texts: dict[str, str]) -> dict[str, Any]:
        fields = _fields(texts)
        filled: dict[str, Any] = {
            **self._choices(call),
            "fields": fields,
            "lines": [],
            "total": 0,
            "why": [],
        }
        try:
            bets = _value_bets(call, fields)
        except Refusal as refusal:
            return filled | {"why": [refusal.message]}
        except BadParameterError as error:
            return filled | {"why": [f"{error}."], "status": 400}
        filled["total"] = len(bets)
        filled["lines"] = list(_bet_lines(call, bets[:MOST_SHOWN]))
        if not bets:
            filled["why"] = list(_why_none(call, fields))
        return filled

    def _games(self, call: Call, texts: dict[str, str]) -> dict[str, Any]:
        fields = _fields(texts)
        filled = {**self._choices(call), "fields": fields, "games": [], "why": []}
        try:
            asked = _asked(lists.GAMES, fields, "sport", limit=500)
            found = lists.GAMES.answer(msgspec.structs.replace(call, asked=asked)).data
        except Refusal as refusal:
            return filled | {"why": [refusal.message]}
        except BadParameterError as error:
            return filled | {"why": [f"{error}."], "status": 400}
        wanted = fields.q.casefold()
        games = [each for each in found if wanted in _words(each)]
        if not games:
            filled["why"] = list(_why_none(call, fields))
        return filled | {
            "games": [(f"{GAME}{each.game_id}", _title(each.match_name), each) for each in games]
        }

    def _choices(self, call: Call) -> dict[str, Any]:
        """Return what can be chosen in the form; only what the account may see."""
        asked = msgspec.structs.replace(call, asked={"is_live": None})
        sports, books = (msgspec.json.decode(each(asked).data) for each in self._catalogue)
        own = call.caller.bookmaker if not call.caller.rights.all_bookmakers else None
        return {
            "sports": [each["name"] for each in sports],
            "bookmakers": [own] if own else [each["name"] for each in books],
        }


class Follower:
    """Sends a page's figures whenever they differ from those sent before."""

    def __init__(self, pages: LivePages, visit: Visit, caller: Caller, path: str) -> None:
        assert visit.owner is not None
        self._pages = pages
        self._account, self._token = visit.owner.account, visit.cookie(SESSION)
        self._caller = caller
        self._path, self._query = path, visit.scope["query_string"]
        self._sent = ""
        self._versions: dict[int, int | None] = {}
        """The state of the database as each thread last saw it: they count differently."""
        self._read_at = self._spoke_at = float("-inf")

    async def step(self) -> bytes | None:
        """Return what to send now; None once the session or its rights have ended."""
        pages, now = self._pages, time.monotonic()
        if await self._has_ended():
            return None if self._sent == "ended" else self._end()
        service, reads = pages.service, pages.reads
        thread, version = await reads.run(
            lambda: (threading.get_ident(), service.store.reader().data_version())
        )
        is_new = version is None or version != self._versions.get(thread)
        if is_new or now - self._read_at >= AGAIN_S:
            self._versions[thread], self._read_at = version, now
            figures = await self._figures()
            if figures != self._sent:
                self._sent, self._spoke_at = figures, now
                return _event("figures", figures, service.clock())
        if now - self._spoke_at >= ALIVE_S:
            self._spoke_at = now
            return _event("alive", "", service.clock())
        return b""

    async def _has_ended(self) -> bool:
        pages = self._pages
        now_ms = pages.service.clock()
        owner = await pages.dashboard.use_access(
            lambda access: access.owners.session(self._token, now_ms, is_use=False)
        )
        if owner is None:
            return True
        try:
            return await pages.caller_of(self._account, owner.session_id) != self._caller
        except TurnedAway:
            return True

    def _end(self) -> bytes:
        self._sent = "ended"
        return _event("ended", "", self._pages.service.clock())

    async def _figures(self) -> str:
        filled = await self._pages.read_figures(self._path, self._query, self._caller)
        return self._pages.dashboard.rendered(f"live_{_part(self._path)}_part.html", filled)


def _event(name: str, text: str, now_ms: int) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines()) or "data:\n"
    return f"event: {name}\nid: {now_ms}\n{lines}\n".encode()


def _part(path: str) -> str:
    """Return the name of a page's templates."""
    return next((name for name, each in _LISTS.items() if each == path), "game")


def _all_odds(call: Call) -> Iterator[resources.OddsRow]:
    """Yield all rows that REST lists at ``/api/odds``."""
    asked = read_query(b"limit=500", lists.ODDS.parameters)
    while True:
        found = lists.ODDS.answer(msgspec.structs.replace(call, asked=asked))
        yield from msgspec.json.decode(
            msgspec.json.encode(found.data), type=list[resources.OddsRow]
        )
        if not found.next_cursor:
            return
        asked = {**asked, "cursor": found.next_cursor}


def _is_wanted(line: OpportunityLine, fields: Fields) -> bool:
    legs = " ".join(f"{leg.text} {leg.bookmaker}" for leg in line.legs)
    text = f"{line.match_name} {_title(line.match_name)} {line.competition} {legs}"
    return (
        fields.q.casefold() in text.casefold()
        and fields.sport in ("", line.sport)
        and fields.kind in ("", line.kind)
        and (not fields.bookmaker or any(leg.bookmaker == fields.bookmaker for leg in line.legs))
    )


def _not_live(caller: Caller) -> str:
    return f"Live updates are not part of the {caller.plan.value} plan; they need Pro+ RT."


def _fields(texts: dict[str, str]) -> Fields:
    return Fields(**{name: texts.get(name, "").strip()[:100] for name in Fields._fields})


def _asked(endpoint: Endpoint, fields: Fields, *names: str, limit: int) -> dict[str, Any]:
    """Return the fields as parameters of REST."""
    given = {name: getattr(fields, name) for name in names if getattr(fields, name)}
    query = urlencode({**given, "limit": limit}).encode()
    return read_query(query, endpoint.parameters)


def _value_bets(call: Call, fields: Fields) -> list[resources.ValueBet]:
    asked = _asked(lists.VALUE_BETS, fields, "sport", "bookmaker", "min_ev", limit=500)
    found = lists.VALUE_BETS.answer(msgspec.structs.replace(call, asked=asked)).data
    wanted = fields.q.casefold()
    bets = [each for each in found if wanted in _words(each)]
    sorts: dict[str, Callable[[resources.ValueBet], Any]] = {
        "start": lambda bet: bet.match_date or "9",
        "odds": lambda bet: bet.odds,
    }
    return sorted(bets, key=sorts[fields.sort]) if fields.sort in sorts else bets


def _words(found: resources.ValueBet | resources.Game) -> str:
    more = f" {found.selection}" if isinstance(found, resources.ValueBet) else ""
    return f"{found.match_name} {_title(found.match_name)} {found.competition}{more}".casefold()


def _title(match_name: str) -> str:
    return dated_game_title(match_name)


def _bet_lines(call: Call, bets: Sequence[resources.ValueBet]) -> Iterator[BetLine]:
    matrices: dict[str, resources.GameMatrix | None] = {}
    visibility = visibility_for(call.caller, {})
    for bet in bets:
        ident = game_id(bet.competition, bet.match_name)
        if ident not in matrices:
            matrices[ident] = call.reader.matrix(ident, call.now_ms, visibility)
        named = Linked(bet.market_type, bet.period, bet.selection, bet.bookmaker, bet.odds)
        cell = _cell_at(matrices[ident], named)
        yield BetLine(
            bet,
            _title(bet.match_name),
            f"{market_title(bet.market_type)}, {period_label(bet.sport, bet.period)}",
            None if cell is None else cell.scraped_at,
            price_page(ident, *named),
        )


def _cell_at(matrix: resources.GameMatrix | None, named: Linked) -> resources.BookOddsCell | None:
    for market in () if matrix is None else matrix.markets:
        if (market.market_type, market.period) != (named.market_type, named.period):
            continue
        for row in market.selections:
            if row.selection == named.selection:
                return row.books.get(named.bookmaker)
    return None


def _ident(market_type: str, period: int) -> str:
    return f"{market_type}-{period}"


def _warnings(reader: Reader, now_ms: int) -> dict[str, Any]:
    return {"is_simulated": reader.is_simulated(now_ms), "is_shifted": reader.is_shifted(now_ms)}


def _why_no_prices(call: Call, fields: Fields) -> str:
    """Return why there is nothing to list; empty if there are current prices and no filter."""
    reader, now_ms = call.reader, call.now_ms
    last = reader.last_standing(now_ms)
    if last is None:
        if reader.newest_price() is None:
            return "No prices have been recorded yet. The operator of this server can add a feed."
        return "No current prices: everything recorded has been withdrawn or is from the past."
    if now_ms - last > _STALE_MS:
        return f"All prices are stale: the newest one was read at {moment_in_words(last)}."
    return "Nothing passes the filter now." if fields.are_filters else ""


def _why_none(call: Call, fields: Fields) -> Iterator[str]:
    """Yield why a list is empty."""
    if why := _why_no_prices(call, fields):
        yield why
    elif (name := call.reader.unpriced_reference()) is not None:
        yield f"The sharp book {name} has no prices, so no fair odds are known."
    else:
        yield "No price is far enough above its fair odds now."


def _game(call: Call, path: str, texts: dict[str, str]) -> dict[str, Any]:
    ident, linked = path.removeprefix(GAME), _linked(texts)
    filled: dict[str, Any] = {"tables": [], "why": [], "link": [], "heading": "Game", "game": None}
    try:
        asked = read_query(b"", lists.GAME.parameters)
        found = lists.GAME.answer(
            msgspec.structs.replace(call, asked=asked, path={"game_id": ident})
        ).data
    except Refusal as refusal:
        gone = refusal.code.status == 404
        why = "This game has no prices from the last 10 minutes." if gone else refusal.message
        if gone and linked is not None and linked.odds is not None:
            filled["link"] = [f"The price in the link was {_shown(linked)}."]
        return filled | {"why": [why], "status": refusal.code.status}
    bets = {_key(bet): bet for bet in _bets_of(call, found)}
    filled["link"] = [_what_happened(found, linked, bets)] if linked else []
    filled["heading"] = _title(found.match_name)
    filled["game"] = found
    filled["tables"] = [_table(market, bets, linked) for market in found.markets]
    filled["has_bets"] = call.caller.rights.value_bets
    return filled


def _linked(texts: dict[str, str]) -> Linked | None:
    """Return the price that an address names; None if it names none or is malformed."""
    market_type, period, selection, bookmaker, odds = (
        texts.get(name, "")[:200] for name in Linked._fields
    )
    is_whole = market_type and selection and bookmaker and _PERIOD.fullmatch(period)
    if not is_whole or not (not odds or _ODDS.fullmatch(odds)):
        return None
    said = float(odds) if odds else None
    return Linked(market_type, int(period), selection, bookmaker, said)


def _key(bet: resources.ValueBet) -> tuple[str, int, str, str]:
    return bet.market_type, bet.period, bet.selection, bet.bookmaker


def _bets_of(call: Call, game: resources.GameMatrix) -> Iterator[resources.ValueBet]:
    """Yield the value bets of a game, if the plan has them."""
    if not call.caller.rights.value_bets:
        return
    asked = read_query(b"limit=500&min_ev=0", lists.VALUE_BETS.parameters)
    asked["competition"] = game.competition
    while True:
        found = lists.VALUE_BETS.answer(msgspec.structs.replace(call, asked=asked))
        yield from (bet for bet in found.data if bet.match_name == game.match_name)
        if not found.next_cursor:
            return
        asked = {**asked, "cursor": found.next_cursor}


def _shown(linked: Linked) -> str:
    odds = "" if linked.odds is None else f"{linked.odds:g} for "
    return f"{odds}{linked.selection} at {linked.bookmaker}"


def _what_happened(
    game: resources.GameMatrix, linked: Linked, bets: dict[Any, resources.ValueBet]
) -> str:
    """Return what became of the price in a link."""
    cell = _cell_at(game, linked)
    if cell is None or cell.odds is None:
        return f"The price in the link, {_shown(linked)}, is no longer offered or is stale."
    bet = bets.get((linked.market_type, linked.period, linked.selection, linked.bookmaker))
    worth = "It is no value bet now." if bet is None else f"EV {bet.ev_pct:+.2f} % now."
    if linked.odds is None:
        return f"{linked.bookmaker} offers {cell.odds:g} for {linked.selection}. {worth}"
    if abs(cell.odds - linked.odds) < 1e-9:
        return f"The price in the link still stands: {_shown(linked)}. {worth}"
    return f"The price in the link was {_shown(linked)}. It is {cell.odds:g} now. {worth}"


def _of_market(bets: dict[Any, Any], market: tuple[str, int]) -> Iterator[tuple[Any, ...]]:
    return (key for key in bets if key[:2] == market)


def _table(
    market: resources.MarketMatrix, bets: dict[Any, resources.ValueBet], linked: Linked | None
) -> MarketTable:
    here = market.market_type, market.period
    read_at = {
        name: cell.scraped_at
        for row in market.selections
        for name, cell in row.books.items()
        if cell is not None
    }
    with_value = {name for _, _, _, name in _of_market(bets, here)}
    wanted = "" if linked is None else linked.bookmaker
    names = sorted(market.bookmakers, key=lambda name: (name != wanted, name not in with_value))
    columns = [Column("Sharp book", market.reference_scraped_at, is_reference=True)]
    columns += [Column(name, read_at.get(name)) for name in names]
    rows = []
    for row in market.selections:
        best = max((cell.odds or 0 for cell in row.books.values() if cell), default=0)
        cells = [Cell(row.reference.odds if row.reference else None)]
        for name in names:
            found = row.books.get(name)
            odds = None if found is None else found.odds
            is_linked = linked is not None and linked[:4] == (*here, row.selection, name)
            bet = bets.get((*here, row.selection, name))
            cells.append(Cell(odds, bet, is_linked, odds == best))
        limit = row.reference.liquidity if row.reference else None
        rows.append((row.selection, limit, cells))
    return MarketTable(
        _ident(*here),
        f"{market_title(market.market_type)}, {market.period_label}",
        columns,
        rows,
        any(cell.bet for _, _, cells in rows for cell in cells),
        linked is not None and linked[:2] == here,
    )
