"""The dashboard as an ASGI application: who may see which page, and how it is sent."""

import asyncio
import logging
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.types import Receive, Scope, Send

from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.server.dashboard import GAME, LIVE, OPPORTUNITIES, ROOT
from oddsdesk.server.dashboard.live_prices import odds_text
from oddsdesk.server.dashboard.opportunities import HeldFound
from oddsdesk.server.dashboard.visits import (
    ONCE,
    SESSION,
    SHOWN,
    Seal,
    TurnedAway,
    Visit,
    is_live_path,
    session_in,
)
from oddsdesk.server.fairness import LEAVING, KnownAwayError, ReaderPool
from oddsdesk.server.gate import Service, loggable
from oddsdesk.server.rest import RETRY_AFTER_S, Reply, send_reply
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Caller, digest_of

T = TypeVar("T")

SESSION_KNOWN_S: Final = 60.0
"""For how long after its last page a session has a place of its own among the requests (s)."""
MOST_SESSIONS: Final = 10_000
MOST_WAITING: Final = 4
"""Passwords that are checked or wait for it; further sign-ins are refused."""
BUSY_S: Final = 5
STEP_S: Final = 1.0
"""The pause between two steps of an answer that stays open (s)."""
LEISURE: Final = 10
"""The nice value of the thread that checks passwords."""

_SHARED_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';"
        b" connect-src 'self';"
        b" form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_STATIC: Final = {
    "/dashboard.css": b"text/css; charset=utf-8",
    "/dashboard.js": b"text/javascript; charset=utf-8",
    "/live.css": b"text/css; charset=utf-8",
    "/live.js": b"text/javascript; charset=utf-8",
    "/icon.svg": b"image/svg+xml",
}
_SECRETS: Final = ("secret", "link")
"""What a page before may leave that is shown once."""
_ENDED: Final = "Your session has ended. Sign in again."
_HERE: Final = Path(__file__).parent
_log = logging.getLogger(__name__)


class Page(msgspec.Struct):
    """A page to show: its template and what is filled in."""

    template: str
    title: str
    filled: dict[str, Any] = {}
    status: int = 200
    headers: list[tuple[bytes, bytes]] = []


class Redirect(msgspec.Struct):
    """Another page to go to; ``once`` is shown there, once."""

    path: str
    once: dict[str, Any] = {}


class Updates(msgspec.Struct):
    """An answer that stays open: ``step`` returns what to send next, None at the end."""

    step: Callable[[], Awaitable[bytes | None]]
    end: Callable[[], object]


Answer = Page | Redirect | Updates
Handler = Callable[[Visit], Awaitable[Answer]]


class Place(msgspec.Struct, frozen=True):
    """Who answers a path."""

    get: Handler | None = None
    post: Handler | None = None
    is_open: bool = False
    """Whether one need not be signed in."""
    is_operators: bool = False
    knows_session: bool = True
    """Whether it is about who is signed in."""


class Dashboard:
    """Serves the pages below ``ROOT``; for the server's loop."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._seal = Seal(service.access.secret)
        self._passwords = ReaderPool("passwords", 1, service.access.circuit)
        judge = service.judge
        self.found = None if judge is None else HeldFound(judge.find)
        self._waiting = 0
        self._known: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()
        """Sessions seen lately, by digest."""
        self._places: dict[str, Place] = {}
        self._templates = _templates()
        self._static = {path: (_HERE / "static" / path[1:]).read_bytes() for path in _STATIC}

    def add_places(self, places: Mapping[str, Place]) -> None:
        """Add paths."""
        self._places |= places

    def end_threads(self) -> None:
        """End the threads that check passwords and judge prices."""
        self._passwords.close()
        if self.found is not None:
            self.found.end_thread()

    def known_caller(self, scope: Scope) -> Caller | None:
        """Return a stand-in for a key, if the request has a session that was seen lately.

        So that a signed-in owner does not wait in the line of all strangers.
        """
        token = session_in(scope)
        found = self._known.get(digest_of(token)) if token else None
        if found is None or time.monotonic() - found[0] > SESSION_KNOWN_S:
            return None
        return found[1]

    async def use_access(self, work: Callable[[AccessStore], T]) -> T:
        """Run work with keys and accounts, which may wait for the database."""
        return await self.service.access.use_store(work)

    async def check_password(self, work: Callable[[AccessStore], T]) -> T:
        """Run work that checks a password; only a few wait at a time.

        Raises:
            TurnedAway: too many are waiting.
        """
        if self._waiting >= MOST_WAITING:
            raise too_busy()
        self._waiting += 1
        try:
            store = self.service.access.store
            return await self._passwords.run(lambda: _at_leisure(lambda: work(store)))
        finally:
            self._waiting -= 1

    def begin_session(self, visit: Visit, token: str) -> None:
        """Give the browser its new session."""
        visit.put_cookie(SESSION, token)

    async def end_session(self, visit: Visit) -> None:
        """End the browser's present session, if it has one."""
        token = visit.cookie(SESSION)
        if token:
            self._known.pop(digest_of(token), None)
            await self.use_access(lambda access: access.owners.end_session(token))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        began = time.perf_counter()
        visit = Visit(scope, self.service.clock())
        try:
            reply = await self._reply(visit, receive)
            if isinstance(reply, Updates):
                await _send_updates(reply, scope, send)
                return
        except TurnedAway as why:
            reply = self._message(visit, why.status, why.title, *why.lines)
        except StoreError as error:
            if not isinstance(error, KnownAwayError):
                _log.warning("%s: %s", loggable(scope), error)
                self.service.troubles.met("the dashboard", error)
            reply = self._unavailable(visit)
        except asyncio.CancelledError:  # the server ends
            reply = self._unavailable(visit)
        except Exception:  # noqa: BLE001 - the request handler: a bug costs one request
            _log.exception("%s failed", loggable(scope))
            lines = "This is a bug. The server's log has the details.", "Go back and try again."
            reply = self._message(visit, 500, "Something went wrong", *lines)
        path = _named(visit.path)
        path = path if path in self._places else "/other"
        seconds = time.perf_counter() - began
        self.service.figures.answered(_address(path), reply.status, seconds)
        await send_reply(scope, send, reply)

    async def _reply(self, visit: Visit, receive: Receive) -> Reply | Updates:
        method = visit.scope["method"]
        is_read = method in ("GET", "HEAD")
        if visit.path in _STATIC and is_read:
            body = self._static[visit.path]
            return Reply(200, body, list(_SHARED_HEADERS), _STATIC[visit.path])
        if not visit.is_private:
            raise _unencrypted()
        place = self._places.get(_named(visit.path))
        if place is None or place.knows_session:
            await self._recognise(visit)
        self._read_once(visit)
        if place is None:
            raise TurnedAway(404, "No such page", "There is no page at this address.")
        handler = place.get if is_read else place.post if method == "POST" else None
        if handler is None:
            return self._wrong_method(visit, place)
        visit.begin_visit()
        if visit.owner is None and not place.is_open:
            if visit.is_of_live and is_read:
                if visit.is_from_elsewhere and not visit.cookie(SESSION):
                    return self._page(visit, Page("opening.html", "Opening", {}))
                visit.remember_page()
            ended = {"warning": _ENDED} if visit.cookie(SESSION) else {}
            return self._redirect(visit, Redirect("/sign-in", ended))
        if not is_read:
            visit.require_own_page(self.service.base_url)
            await visit.read_form(receive)
            self._require_token(visit)
        if place.is_operators and not (visit.owner and visit.owner.is_operator):
            raise TurnedAway(404, "No such page", "There is no page at this address.")
        answer = await handler(visit)
        if isinstance(answer, Redirect):
            return self._redirect(visit, answer)
        return self._page(visit, answer) if isinstance(answer, Page) else answer

    def rendered(self, template: str, filled: dict[str, Any]) -> str:
        """Return a part of a page."""
        return self._templates.get_template(template).render(filled)

    async def _recognise(self, visit: Visit) -> None:
        """Find the session."""
        token, now_ms = visit.cookie(SESSION), visit.now_ms
        if token:
            visit.owner = await self.use_access(lambda store: store.owners.session(token, now_ms))
            self._note_session(visit, token)

    def _read_once(self, visit: Visit) -> None:
        """Take what the page before left for this one.

        Chromium keeps pages for its Back button, though they are not to be stored; it drops them
        when a cookie changes. So the page after a secret changes one.
        """
        if visit.cookie(SHOWN):
            visit.put_cookie(SHOWN, "")
        if visit.scope["method"] == "GET" and (once := visit.cookie(ONCE)):
            visit.once = self._seal.opened(once, visit.whose, visit.now_ms)
            visit.put_cookie(ONCE, "")
            if not visit.once.keys().isdisjoint(_SECRETS):
                visit.put_cookie(SHOWN, "1")

    def _note_session(self, visit: Visit, token: str) -> None:
        digest = digest_of(token)
        self._known.pop(digest, None)
        if visit.owner is not None:
            line = Caller(-visit.owner.session_id, digest, Plan.FREE, None)
            self._known[digest] = time.monotonic(), line
            if len(self._known) > MOST_SESSIONS:
                self._known.popitem(last=False)

    def _require_token(self, visit: Visit) -> None:
        if not self._seal.has_form_token(visit.whose, visit.field("form")):
            raise TurnedAway(
                403,
                "Not sent",
                "The form is too old, or your session has changed. Nothing was changed.",
                "Open the page again and repeat what you did.",
            )

    def _redirect(self, visit: Visit, answer: Redirect) -> Reply:
        if answer.once:
            sealed = self._seal.sealed(answer.once, visit.whose, visit.now_ms)
            visit.put_cookie(ONCE, sealed)
        headers = [
            *_SHARED_HEADERS,
            (b"referrer-policy", b"no-referrer"),
            (b"location", _address(answer.path).encode()),
            *visit.set_cookies,
        ]
        return Reply(303, b"", headers, b"text/html; charset=utf-8")

    def _page(self, visit: Visit, page: Page) -> Reply:
        owner = visit.owner
        filled = {
            "root": ROOT,
            "title": page.title,
            "who": "" if owner is None else owner.account,
            "pages": _pages(
                is_operator=owner is not None and owner.is_operator, has_odds=self.found is not None
            ),
            "page": _address(visit.path),
            "form": self._seal.form_token(visit.whose) if visit.whose else "",
            "errors": visit.errors,
            "notice": visit.once.get("notice", ""),
            "warning": visit.once.get("warning", ""),
            "problem": visit.once.get("problem", ""),
            **page.filled,
        }
        body = self._templates.get_template(page.template).render(filled).encode()
        # With no-referrer browsers would send `Origin: null` with our own forms.
        headers = [*_SHARED_HEADERS, (b"referrer-policy", b"same-origin")]
        headers += [*page.headers, *visit.set_cookies]
        return Reply(page.status, body, headers, b"text/html; charset=utf-8")

    def _message(self, visit: Visit, status: int, title: str, *lines: str) -> Reply:
        link = ("", "To the dashboard") if visit.is_private else None
        filled = {"lines": lines, "link": link}
        headers = [(b"retry-after", str(BUSY_S).encode())] if status in (429, 503) else []
        return self._page(visit, Page("message.html", title, filled, status, headers))

    def _unavailable(self, visit: Visit) -> Reply:
        said = f"The database is temporarily unavailable. Try again in {RETRY_AFTER_S} s."
        return self._message(visit, 503, "Not available now", said)

    def _wrong_method(self, visit: Visit, place: Place) -> Reply:
        allowed = "GET, HEAD" if place.get else ""
        allowed += (", " if place.get and place.post else "") + ("POST" if place.post else "")
        said = f"This address takes only {allowed}."
        reply = self._message(visit, 405, "Not possible", said)
        reply.headers.append((b"allow", allowed.encode()))
        return reply


def _at_leisure(work: Callable[[], T]) -> T:
    """Run work that computes long, on a thread that lets all others go first.

    Argon2 starts threads of its own, which inherit that.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LEISURE)
    return work()


def too_busy() -> TurnedAway:
    """Return the refusal of a sign-in while too many wait."""
    said = f"Many people are signing in at the moment. Try again in {BUSY_S} s."
    return TurnedAway(503, "Not possible now", said)


def _unencrypted() -> TurnedAway:
    return TurnedAway(
        403,
        "This connection is not encrypted",
        "Others could read your password and your keys, so the dashboard does not open here.",
        "Use the address that begins with https://. If there is none, ask the operator of this"
        " server, who can set up TLS or a proxy (docs/dashboard.md).",
    )


def _pages(*, is_operator: bool, has_odds: bool) -> list[tuple[str, str]]:
    named = ((LIVE, "Value bets"), (OPPORTUNITIES, "Arbitrage"), (f"{LIVE}/games", "Games"))
    odds = list(named) if has_odds else []
    own = [("/keys", "Keys"), ("/usage", "Usage"), ("/account", "Account")]
    operators = [("/accounts", "Accounts"), ("/server", "Server")] if is_operator else []
    return [(_address(path), name) for path, name in (*odds, *own, *operators)]


def _address(path: str) -> str:
    return path if is_live_path(path) else ROOT + path


def _named(path: str) -> str:
    """Return the path under which a place is entered: one for all games."""
    return GAME if path.startswith(GAME) else path


async def _send_updates(updates: Updates, scope: Scope, send: Send) -> None:
    """Send what comes until the client leaves, its time is over, or the server ends."""
    headers = [
        *_SHARED_HEADERS,
        (b"content-type", b"text/event-stream"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-accel-buffering", b"no"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    leaving = scope.get(LEAVING) or asyncio.get_running_loop().create_future()
    try:
        while not leaving.done() and (piece := await updates.step()) is not None:
            if piece:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.wait([leaving], timeout=STEP_S)
    except (StoreError, asyncio.CancelledError):  # the browser comes back later
        pass
    finally:
        updates.end()
        await send({"type": "http.response.body", "body": b""})


def _templates() -> Environment:
    loader = FileSystemLoader(_HERE / "templates")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["iso"] = format_ms
    made.filters["odds"] = odds_text
    made.filters["sent"] = sent_moment
    made.filters["moment"] = moment_in_words
    made.filters["day"] = lambda ms: f"{_utc(ms):%d %b %Y}"
    return made


def sent_moment(text: str) -> str:
    """Return a time of the wire as the pages show it."""
    return moment_in_words(parse_ms(text))


def moment_in_words(ms: int) -> str:
    """Return a time as the pages show it."""
    return f"{_utc(ms):%d %b %Y %H:%M} UTC"


def _utc(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
