"""One request to the dashboard: cookies, form fields and the tokens that protect them."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final
from urllib.parse import parse_qsl, quote

import msgspec
from cryptography.fernet import Fernet, InvalidToken
from starlette.types import Message, Receive, Scope

from oddsdesk.server.dashboard import LIVE, ROOT
from oddsdesk.server.edge.middleware import UNKNOWN
from oddsdesk.server.local_callers import is_of_this_machine
from oddsdesk.store.owners import Owner

SESSION: Final = "session"
VISIT: Final = "visit"
"""The cookie that ties the forms of somebody who is not signed in to this browser."""
INVITATION: Final = "invitation"
NEXT: Final = "next"
"""The cookie with the page to open after the sign-in."""
ONCE: Final = "once"
"""The cookie with what only the next page shows, sealed."""
SHOWN: Final = "shown"
"""The cookie that says that the page before showed a key or a link."""
BODY_LIMIT: Final = 16 * 1024
MOST_FIELDS: Final = 20
ONCE_S: Final = 60
"""How long the next page may take to arrive."""
_LONGEST_COOKIE: Final = 4_096
_LONGEST_PAGE: Final = 1_500
_PREFIX: Final = "__Host-"
"""Browsers accept a cookie with this prefix only from this host, by TLS (RFC 6265bis, 4.1.3.2)."""
_FORM_TYPE: Final = b"application/x-www-form-urlencoded"


class TurnedAway(Exception):  # noqa: N818 - an answer, not an error of ours
    """Ends a request with a page that says why."""

    def __init__(self, status: int, title: str, *lines: str) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.lines = lines


class Visit:
    """A request; ``owner`` is who is signed in, known after ``Dashboard`` has looked."""

    def __init__(self, scope: Scope, now_ms: int) -> None:
        self.scope = scope
        self.now_ms = now_ms
        self.path: str = _path_of(scope["path"])
        self.is_encrypted = scope["scheme"] == "https"
        self.is_private = self.is_encrypted or is_of_this_machine(scope)
        """Whether nobody on the way can read it: only then are cookies and passwords read."""
        self.owner: Owner | None = None
        self.fields: dict[str, str] = {}
        self.once: dict[str, Any] = {}
        """What the page before leaves for this one."""
        self.errors: dict[str, str] = {}
        """What is wrong with the form, by field."""
        self.set_cookies: list[tuple[bytes, bytes]] = []
        self._cookies = _cookies(scope["headers"]) if self.is_private else {}

    @property
    def address(self) -> str:
        """The caller's IP address."""
        client = self.scope.get("client")
        return client[0] if client else UNKNOWN

    @property
    def agent(self) -> str:
        """The name that the browser gives itself."""
        return self.header(b"user-agent").decode("latin-1")

    def header(self, wanted: bytes) -> bytes:
        """Return a header; empty if it is missing."""
        return next((value for name, value in self.scope["headers"] if name == wanted), b"")

    @property
    def site(self) -> str:
        """This server's address as the browser knows it."""
        return f"{self.scope['scheme']}://{self.header(b'host').decode('latin-1')}".lower()

    def cookie(self, name: str) -> str:
        """Return a cookie of the dashboard; empty if it is missing or comes twice."""
        return self._cookies.get(self._cookie_name(name), "")

    def put_cookie(self, name: str, value: str, *, same_site: str = "Strict") -> None:
        """Set a cookie until the browser closes; an empty value removes it."""
        self._cookies[self._cookie_name(name)] = value
        said = f"{self._cookie_name(name)}={value}; Path=/; HttpOnly; SameSite={same_site}"
        said += "; Secure" * self.is_encrypted + "; Max-Age=0" * (not value)
        self.set_cookies.append((b"set-cookie", said.encode()))

    def _cookie_name(self, name: str) -> str:
        return f"{_PREFIX * self.is_encrypted}oddsdesk_{name}"

    @property
    def whose(self) -> str:
        """The secret that ties forms to this browser: of the session, else of the visit."""
        return self.cookie(SESSION) if self.owner is not None else self.cookie(VISIT)

    def begin_visit(self) -> None:
        """Give a browser without a session the cookie for its forms."""
        if self.owner is None and not self.cookie(VISIT):
            self.put_cookie(VISIT, secrets.token_hex(32))

    def query(self, name: str) -> str:
        """Return a parameter of the address; empty if it is missing."""
        asked = parse_qsl(self.scope["query_string"].decode("latin-1"))
        return next((value for key, value in asked if key == name), "")

    @property
    def is_of_live(self) -> bool:
        """Whether it is about the pages with odds."""
        return is_live_path(self.path)

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether a page of another site led here: then browsers leave out strict cookies."""
        return self.header(b"sec-fetch-site") == b"cross-site"

    def remember_page(self) -> None:
        """Note the page, to open it after the sign-in."""
        asked = self.path + "?" * bool(self.scope["query_string"])
        asked += self.scope["query_string"].decode("latin-1")
        self.put_cookie(NEXT, quote(asked, safe="/?=&%+-._~")[:_LONGEST_PAGE])

    def take_page(self, usual: str) -> str:
        """Return the page that was wanted before the sign-in, else the usual one."""
        wanted = self.cookie(NEXT)
        self.put_cookie(NEXT, "")
        return wanted if is_live_path(wanted.partition("?")[0]) else usual

    def field(self, name: str) -> str:
        """Return a field of the form; empty if it was not sent."""
        return self.fields.get(name, "")

    def require_own_page(self, base_url: str) -> None:
        """Refuse a form that a page of another site sent.

        Browsers say where a form comes from in ``Origin`` and ``Sec-Fetch-Site``.
        """
        origin, fetch = self.header(b"origin"), self.header(b"sec-fetch-site")
        own = {self.site, base_url.lower()} - {""}
        is_foreign = bool(origin) and origin.decode("latin-1").lower() not in own
        if is_foreign or fetch not in (b"", b"same-origin"):
            raise TurnedAway(
                403,
                "Not sent",
                "The form came from another site. Nothing was changed.",
                "Open the dashboard by its own address and try again.",
            )

    async def read_form(self, receive: Receive) -> None:
        """Read the fields of the form."""
        kind = self.header(b"content-type").partition(b";")[0].strip().lower()
        if kind != _FORM_TYPE:
            raise _bad_form("It is not a form of this page.")
        body = b"".join([piece async for piece in _pieces(receive)])
        try:
            pairs = parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True,
                encoding="utf-8",
                errors="strict",
                max_num_fields=MOST_FIELDS,
            )
        except ValueError:
            raise _bad_form("It is not a form of this page.") from None
        self.fields = dict(pairs)
        if len(self.fields) < len(pairs):
            raise _bad_form("A field was sent twice.")


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    size, is_more = 0, True
    while is_more:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise _bad_form("The form was cut off.")
        size += len(message.get("body", b""))
        if size > BODY_LIMIT:
            raise TurnedAway(413, "Not sent", f"A form may have {BODY_LIMIT:,} bytes.")
        yield message.get("body", b"")
        is_more = message.get("more_body", False)


def _bad_form(why: str) -> TurnedAway:
    return TurnedAway(400, "Not sent", f"The form cannot be read. {why} Nothing was changed.")


def is_live_path(path: str) -> bool:
    """Return whether a path is one of the pages with odds."""
    return path == LIVE or path.startswith(f"{LIVE}/")


def _path_of(path: str) -> str:
    """Return a path without ``ROOT``, as the dashboard names its pages."""
    short = path.removeprefix(ROOT)
    return path if is_live_path(short) else short


def session_in(scope: Scope) -> str:
    """Return the token of the session that a request names; empty if there is none."""
    return Visit(scope, 0).cookie(SESSION)


def _cookies(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the cookies; one that comes twice with different values counts as none."""
    found: dict[str, str] = {}
    for name, value in headers:
        if name != b"cookie":
            continue
        for part in value.decode("latin-1").split(";"):
            key, _, text = part.strip().partition("=")
            known = found.get(key)
            found[key] = text if known in (None, text) and len(text) <= _LONGEST_COOKIE else ""
    return found


class Seal:
    """Signs form tokens, and encrypts what is passed to the next page; any process can open it.

    ``secret`` is the database's.
    """

    def __init__(self, secret: bytes) -> None:
        self._forms = hmac.digest(secret, b"dashboard forms", "sha256")
        key = hmac.digest(secret, b"dashboard next page", "sha256")
        self._next_page = Fernet(base64.urlsafe_b64encode(key))

    def form_token(self, whose: str) -> str:
        """Return what each form of a browser carries."""
        return hmac.new(self._forms, whose.encode(), hashlib.sha256).hexdigest()

    def has_form_token(self, whose: str, token: str) -> bool:
        """Return whether a form was made for this browser; takes the same time for all tokens."""
        own = self.form_token(whose).encode()
        return bool(whose) and hmac.compare_digest(own, token.encode())

    def sealed(self, said: dict[str, Any], whose: str, now_ms: int) -> str:
        """Return what only the same browser's next page can read, as a cookie's value."""
        plain = msgspec.json.encode([whose, said])
        return self._next_page.encrypt_at_time(plain, now_ms // 1_000).decode()

    def opened(self, text: str, whose: str, now_ms: int) -> dict[str, Any]:
        """Return what was sealed; nothing if it is old, altered or of another browser."""
        try:
            plain = self._next_page.decrypt_at_time(text.encode(), ONCE_S, now_ms // 1_000)
        except InvalidToken:
            return {}
        owner, said = msgspec.json.decode(plain)
        return dict(said) if hmac.compare_digest(owner.encode(), whose.encode()) else {}
