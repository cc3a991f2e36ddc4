"""The pages for a phone: value bets, arbitrage and a game's prices, by the account's plan.

Every price is one that REST returns to a key of the same account; it is for reading only.
"""

import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.types import Scope

from oddsdesk.contract import resources
from oddsdesk.contract.access import Rights
from oddsdesk.contract.competitions import competition_title, period_label
from oddsdesk.contract.identity import dated_game_title, price_page
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.times import WINDOW_MS, format_ms
from oddsdesk.server.dashboard import GAME, LIVE, OPPORTUNITIES, UPDATES
from oddsdesk.server.dashboard.live_game import read_game
from oddsdesk.server.dashboard.live_prices import WITHOUT_PUSHES, Age, JudgedPrice, age_of
from oddsdesk.server.dashboard.live_rows import JudgedGames, read_prices
from oddsdesk.server.dashboard.opportunities import Held, Judge, LegLine, OpportunityLine, Prices
from oddsdesk.server.dashboard.site import Answer, Dashboard, Page, Place, Updates, moment_in_words
from oddsdesk.server.dashboard.visits import SESSION, TurnedAway, Visit
from oddsdesk.server.endpoints import lists
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.gate import Call, Endpoint, require_stream, require_value_bets
from oddsdesk.server.rest import BadParameterError, Refusal, read_query
from oddsdesk.server.stream.endpoint import open_page, pages_left
from oddsdesk.store.accounts import OwnAccountError, UnknownAccountError
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count
from oddsdesk.store.reader import Reader
from oddsdesk.store.values import Visibility

MOST_SHOWN: Final = 50
MOST_OF_ACCOUNT: Final = 4
"""Pages of an account that are kept live at a time."""
MOST_OF_ALL: Final = 200
ALIVE_S: Final = 5.0
"""How often a page that changes nothing is sent a sign of life (s)."""
AGAIN_S: Final = 10.0
"""How often figures are read again although nothing was recorded: age ends some (s)."""
_AGES: Final = re.compile(r'(<time [^>]*data-show="age"[^>]*>)[^<]*')
_MOST_EV: Final = 100
_LISTS: Final = {"bets": LIVE, "games": f"{LIVE}/games", "opportunities": OPPORTUNITIES}
"""The pages that are no game's, by the name of their templates."""


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
    """A value bet with the words for it and the page of its game."""

    bet: JudgedPrice
    is_sure: bool
    age: Age
    sharp_age: Age
    has_started: bool
    game: str
    market: str
    link: str


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

    def __init__(self, dashboard: Dashboard, reads: ReaderPool, judge: Judge) -> None:
        self.dashboard = dashboard
        self._judge = JudgedGames(judge)
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
                OPPORTUNITIES: Place(self.show_opportunities),
                GAME: Place(self.show_game),
                UPDATES: Place(self.send_updates),
            }
        )

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
        try:
            require_stream(caller)
        except Refusal as refusal:
            raise TurnedAway(403, "Not on your plan", refusal.message) from None
        self._count(account, caller, visit.now_ms)
        if self._open[account] >= MOST_OF_ACCOUNT or self._open.total() >= MOST_OF_ALL:
            said = f"{MOST_OF_ACCOUNT} pages of an account are live at a time. Close another one."
            raise TurnedAway(429, "Too many pages", said)
        of = visit.query("of")
        path = GAME + visit.query("id") if of == "game" else _LISTS.get(of)
        if path is None:
            raise TurnedAway(404, "No such page", "There is no page at this address.")
        access = self.service.access
        count = await open_page(access, await self._number(account), caller, visit.now_ms)
        if not count.allowed:
            raise TurnedAway(429, "No live updates left", _no_more(caller, count))
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
        filled = await self.read_figures(visit.path, visit.scope, caller)
        of = _part(visit.path)
        query = visit.scope["query_string"].decode("latin-1")
        said = {"of": of, "id": visit.path.removeprefix(GAME) if of == "game" else ""}
        filled["not_live"] = await self._why_not_live(caller, account, visit.now_ms)
        filled["updates"] = ""
        if not filled["not_live"]:
            filled["updates"] = f"{UPDATES}?{urlencode(said)}&{query}".rstrip("&")
        filled["reload"] = visit.path + (f"?{query}" if query else "")
        filled["now"] = visit.now_ms
        return Page(template, filled.get("heading", title), filled, filled["status"])

    async def _why_not_live(self, caller: Caller, account: str, now_ms: int) -> str:
        """Return why a page is not kept live; empty if it is."""
        try:
            require_stream(caller)
        except Refusal:
            return "" if caller.rights.websocket else _not_live(caller)
        access = self.service.access
        count = await pages_left(access, await self._number(account), caller, now_ms)
        return "" if count.allowed else _no_more(caller, count)

    async def _number(self, account: str) -> int:
        return await self.dashboard.use_access(lambda access: access.keys.account_id(account))

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

    async def read_figures(self, path: str, scope: Scope, caller: Caller) -> dict[str, Any]:
        """Return what a page shows of the odds, to the sender of a request."""
        now_ms, query = self.service.clock(), scope["query_string"]
        texts = dict(parse_qsl(query.decode("latin-1")))
        if path == OPPORTUNITIES:
            return await self._opportunities(scope, caller, _fields(texts))
        if path == LIVE:
            return await self._bets(scope, caller, _fields(texts))

        def read() -> dict[str, Any]:
            reader = self.service.reader_for(scope)
            call = Call(caller, now_ms, reader, {}, {}).in_stored_words()
            reference = self.service.store.reference
            if path == f"{LIVE}/games":
                filled = self._games(call, texts)
            else:
                filled = read_game(call, path, texts, reference, self._judge)
            return {
                "status": 200,
                "sharp_book": reference,
                **_warnings(call.reader, now_ms),
                **filled,
            }

        return await self.reads.run(read, caller.key_id)

    async def _found(self, scope: Scope, caller: Caller, now_ms: int) -> Held:
        """Return what the board found last for those who may see the same, and when."""
        kept, service = self.dashboard.found, self.service
        assert kept is not None
        share = await self.reads.run(lambda: service.reader_for(scope).share, caller.key_id)

        def read() -> Prices:
            call = Call(caller, now_ms, service.reader_for(scope), {}, {})
            return read_prices(call, service.store.reference)

        visibility = Visibility(live=caller.rights.live).of_share(share)
        return await kept.get(visibility, now_ms, lambda: self.reads.run(read, caller.key_id))

    async def _opportunities(self, scope: Scope, caller: Caller, fields: Fields) -> dict[str, Any]:
        now_ms, service = self.service.clock(), self.service

        def read_page() -> dict[str, Any]:
            call = Call(caller, now_ms, service.reader_for(scope), {}, {}).in_stored_words()
            choices = self._choices(call) | _warnings(call.reader, now_ms)
            why = _why_no_prices(call, fields) or "No prices cover each other well enough now."
            filled = {"status": 200, "fields": fields, "lines": [], "why": [why], **choices}
            return filled | {"old": (0, 0)}

        def leg_age(line: OpportunityLine, leg: LegLine) -> Age:
            return age_of(leg.seen_at, now_ms, in_play=line.is_live)

        filled = await self.reads.run(read_page, caller.key_id)
        filled |= {"leg_age": leg_age}
        if not caller.rights.all_bookmakers:
            said = f"The {caller.plan.value} plan has one bookmaker; an arbitrage takes several."
            return filled | {"why": [f"{said} It needs Pro."]}
        held = await self._found(scope, caller, now_ms)
        wanted = [each for each in held.found.opportunities if _is_wanted(each, fields)]
        warned = sum(each.has_warning for each in wanted)
        if wanted:
            filled |= {"why": [], "total": len(wanted), "read_at": format_ms(held.read_at)}
        old = {"warned": warned, "old": held.old}
        return filled | {"lines": wanted[:MOST_SHOWN], "title_of": _title} | old

    async def _bets(self, scope: Scope, caller: Caller, fields: Fields) -> dict[str, Any]:
        now_ms, service = self.service.clock(), self.service
        reference, least = service.store.reference, _least_ev(fields.min_ev)

        def read_page() -> dict[str, Any]:
            call = Call(caller, now_ms, service.reader_for(scope), {}, {}).in_stored_words()
            return {
                "status": 200,
                "sharp_book": reference,
                "fields": fields,
                "lines": [],
                "total": 0,
                "without_pushes": WITHOUT_PUSHES,
                "why": list(_why_none(call, fields, reference)),
                **self._choices(call),
                **_warnings(call.reader, now_ms),
            }

        filled = await self.reads.run(read_page, caller.key_id)
        try:
            require_value_bets(caller)
        except Refusal as refusal:
            return filled | {"why": [refusal.message]}
        if least is None:
            why = f"Minimum EV: type a number from 0 to {_MOST_EV}, such as 2.5."
            return filled | {"why": [why], "status": 400}
        held = await self._found(scope, caller, now_ms)
        bets = [
            each
            for each in _sorted_bets(held.found.bets, fields.sort, now_ms)
            if each.is_shown(now_ms) and _passes(each, fields) and shown_ev(each) >= least
        ]
        if bets:
            filled |= {"why": [], "total": len(bets), "read_at": format_ms(held.read_at)}
        return filled | {"lines": [_bet_line(each, now_ms) for each in bets[:MOST_SHOWN]]}

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
            filled["why"] = list(_why_none(call, fields, self.service.store.reference))
        return filled | {
            "games": [(f"{GAME}{each.game_id}", _title(each.match_name), each) for each in games],
            "competition_of": competition_title,
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
        self._path, self._scope = path, visit.scope
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
            if (lasting := _AGES.sub(r"\1", figures)) != self._sent:  # the page counts ages itself
                self._sent, self._spoke_at = lasting, now
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
        filled = await self._pages.read_figures(self._path, self._scope, self._caller)
        return self._pages.dashboard.rendered(f"live_{_part(self._path)}_part.html", filled)


def _event(name: str, text: str, now_ms: int) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines()) or "data:\n"
    return f"event: {name}\nid: {now_ms}\n{lines}\n".encode()


def _part(path: str) -> str:
    """Return the name of a page's templates."""
    return next((name for name, each in _LISTS.items() if each == path), "game")


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


def _no_more(caller: Caller, count: Count) -> str:
    most, plan = caller.rights.connections_per_day, caller.plan.value
    again = moment_in_words((count.reset_s + count.jumped_s) * 1_000)
    return (
        f"The {most} live updates a day of the {plan} plan are used up. There are more at {again}."
    )


def _fields(texts: dict[str, str]) -> Fields:
    return Fields(**{name: texts.get(name, "").strip()[:100] for name in Fields._fields})


def _asked(endpoint: Endpoint, fields: Fields, *names: str, limit: int) -> dict[str, Any]:
    """Return the fields as parameters of REST."""
    given = {name: getattr(fields, name) for name in names if getattr(fields, name)}
    query = urlencode({**given, "limit": limit}).encode()
    return read_query(query, endpoint.parameters)


def _passes(bet: JudgedPrice, fields: Fields) -> bool:
    return (
        fields.q.casefold() in _words(bet)
        and fields.sport.casefold() in ("", bet.sport.casefold())
        and fields.bookmaker in ("", bet.bookmaker)
    )


def shown_ev(bet: JudgedPrice) -> float:
    """Return the EV as it is shown, which a minimum is compared with."""
    return round(bet.ev or 0.0, 2)


def _sorted_bets(bets: list[JudgedPrice], by: str, now_ms: int) -> list[JudgedPrice]:
    """Return bets in the order of the form; usually those that need no second look first."""
    sorts: dict[str, Callable[[JudgedPrice], Any]] = {
        "start": lambda each: math.inf if each.kick_off is None else each.kick_off,
        "odds": lambda each: each.odds,
    }
    return sorted(bets, key=sorts.get(by, lambda each: (not each.is_sure(now_ms), -shown_ev(each))))


def _least_ev(text: str) -> float | None:
    """Return the minimum EV that was typed; None if it is no number from 0 to ``_MOST_EV``."""
    try:
        least = float(text.replace(",", ".") or 0)
    except ValueError:
        return None
    return least if 0 <= least <= _MOST_EV else None


def _words(found: JudgedPrice | resources.Game) -> str:
    more = f" {found.selection}" if isinstance(found, JudgedPrice) else ""
    return f"{found.match_name} {_title(found.match_name)} {found.competition}{more}".casefold()


def _title(match_name: str) -> str:
    return dated_game_title(match_name)


def _bet_line(bet: JudgedPrice, now_ms: int) -> BetLine:
    price = (bet.market_type, bet.period, bet.selection, bet.bookmaker, bet.odds)
    return BetLine(
        bet,
        bet.is_sure(now_ms),
        bet.age(now_ms),
        bet.sharp_age(now_ms),
        bet.has_started(now_ms),
        _title(bet.match_name),
        f"{market_title(bet.market_type)}, {period_label(bet.sport, bet.period)}",
        price_page(bet.game_id, *price),
    )


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
    if now_ms - last > WINDOW_MS:
        return f"All prices are stale: the newest one was read at {moment_in_words(last)}."
    return "Nothing passes the filter now." if fields.are_filters else ""


def _why_none(call: Call, fields: Fields, reference: str) -> Iterator[str]:
    """Yield why a list is empty."""
    if why := _why_no_prices(call, fields):
        yield why
    elif (name := call.reader.unpriced_reference()) is not None:
        yield f"The sharp book {name} has no prices, so no fair odds are known."
    elif reference not in {each.name for each in call.reader.list_bookmakers(call.now_ms)}:
        yield f"{reference} has no price from the last 10 minutes, so no fair odds are known now."
    else:
        yield "No price is far enough above its fair odds now."
