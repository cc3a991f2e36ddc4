"""The pages of an account's owner: invitation, sign-in, keys, usage, account."""

from typing import Final

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import AccountState, Key, bookmaker_in_words, plan_in_words
from oddsdesk.server.dashboard.site import Answer, Dashboard, Page, Place, Redirect
from oddsdesk.server.dashboard.visits import INVITATION, SESSION, VISIT, TurnedAway, Visit
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.gate import Service, slot_of
from oddsdesk.server.rest import Headers
from oddsdesk.store.access import AccessStore
from oddsdesk.store.keys import MAX_KEYS, KeyLimitError, NewKey, UnknownKeyError
from oddsdesk.store.names import known_names, name_among
from oddsdesk.store.owners import InviteEndedError, NewSession, Owner, Refused
from oddsdesk.store.passwords import SHORTEST, BadPasswordError

PASSWORD_RULE: Final = f"At least {SHORTEST} characters. Several words are easy to remember."
CATALOGUE_MS: Final = 60_000
_WRONG: Final = "The account or the password is wrong."


class KeyUse(msgspec.Struct, frozen=True):
    """What is left of a key, for its row."""

    masked: str
    requests_left: int
    requests: int
    streams_open: int
    last_used: int | None
    """The beginning of the day or hour of its last use, in milliseconds."""


class Choices(msgspec.Struct, frozen=True):
    """The names of the bookmakers to choose from, by whether they have odds now."""

    priced: list[str]
    others: list[str]

    def __contains__(self, name: str) -> bool:
        """Return whether a bookmaker can be chosen."""
        return name in self.priced or name in self.others

    def has_odds(self, name: str) -> bool:
        """Return whether a bookmaker has odds now, whatever the spelling of its name."""
        return name_among(self.priced, name) in self.priced


class Bookmakers:
    """Finds the bookmakers to choose from; which of them have odds may be a minute old."""

    def __init__(self, service: Service, reads: ReaderPool) -> None:
        self._service = service
        self._reads = reads
        self._read_at = -CATALOGUE_MS
        self._priced: list[str] = []

    async def choices(self) -> Choices:
        """Return the names in the database's spelling."""
        return await self._reads.run(self._find_choices)

    def _find_choices(self) -> Choices:
        reader, now_ms = self._service.store.reader(), self._service.clock()
        if not self._priced or not 0 <= now_ms - self._read_at < CATALOGUE_MS:
            self._priced = [each.name for each in reader.list_bookmakers(now_ms)]
            self._read_at = now_ms
        recorded = reader.recorded_bookmakers()
        names = {*recorded, *(name_among(recorded, name) for name in known_names())}
        priced, others = names.intersection(self._priced), names.difference(self._priced)
        return Choices(sorted(priced, key=str.casefold), sorted(others, key=str.casefold))


class OwnPages:
    """The pages of everybody who signs in."""

    def __init__(self, dashboard: Dashboard, reads: ReaderPool) -> None:
        self._dashboard = dashboard
        self._service = dashboard.service
        self._bookmakers = Bookmakers(dashboard.service, reads)
        dashboard.add_places(
            {
                "": Place(self.show_start, is_open=True),
                "/": Place(self.show_start, is_open=True),
                "/invitation": Place(
                    self.show_invitation, self.accept, is_open=True, knows_session=False
                ),
                "/sign-in": Place(self.show_sign_in, self.sign_in, is_open=True),
                "/sign-out": Place(post=self.sign_out),
                "/keys": Place(self.show_keys),
                "/keys/create": Place(post=self.create),
                "/keys/rotate": Place(post=self.rotate),
                "/keys/revoke": Place(post=self.revoke),
                "/keys/bookmaker": Place(post=self.choose_bookmaker),
                "/usage": Place(self.show_usage),
                "/account": Place(self.show_account),
                "/account/password": Place(post=self.change_password),
                "/account/end": Place(post=self.end_session),
                "/account/end-others": Place(post=self.end_others),
            }
        )

    async def show_start(self, visit: Visit) -> Answer:
        """Go to where one begins."""
        return Redirect("/sign-in" if visit.owner is None else "/keys")

    # Invitation and sign-in

    async def show_invitation(self, visit: Visit) -> Answer:
        """Take the token out of the address, then show the form for a password."""
        if sent := visit.query("token"):
            # Lax, because the link is usually opened from a mail: a strict cookie would be missing
            # on the page that follows.
            visit.put_cookie(INVITATION, _cookie_text(sent), same_site="Lax")
            return Redirect("/invitation")
        token, now_ms = visit.cookie(INVITATION), visit.now_ms
        invite = None
        if token:
            invite = await self._dashboard.use_access(
                lambda access: access.owners.read_invite(token, now_ms)
            )
        if invite is None:
            raise _invitation_ended()
        filled = {"account": invite.account, "password_rule": PASSWORD_RULE}
        status = 422 if visit.errors else 200
        return Page("invitation.html", "Set a password", filled, status)

    async def accept(self, visit: Visit) -> Answer:
        """Set the password and sign in."""
        token, password = visit.cookie(INVITATION), visit.field("password")
        if password != visit.field("again"):
            visit.errors["again"] = "The two passwords differ."
            return await self.show_invitation(visit)
        try:
            made = await self._dashboard.check_password(
                lambda access: access.owners.accept_invite(
                    token, password, visit.address, visit.agent, visit.now_ms
                )
            )
        except BadPasswordError as error:
            visit.errors["password"] = sentence(error)
            return await self.show_invitation(visit)
        except InviteEndedError:
            raise _invitation_ended() from None
        visit.put_cookie(INVITATION, "")
        await self._enter(visit, made)
        return Redirect("/keys", {"notice": "Your password is set."})

    async def show_sign_in(self, visit: Visit) -> Answer:
        """Show the form, unless somebody is signed in."""
        if visit.owner is not None:
            return Redirect("/keys")
        return self._sign_in_page(visit, 200)

    def _sign_in_page(self, visit: Visit, status: int, headers: Headers = ()) -> Page:
        filled = {"account": visit.field("account")[:200]}
        return Page("sign_in.html", "Sign in", filled, status, list(headers))

    async def sign_in(self, visit: Visit) -> Answer:
        """Check the password and begin a session."""
        account, password = visit.field("account"), visit.field("password")
        found = await self._dashboard.check_password(
            lambda access: access.owners.sign_in(
                account, password, visit.address, visit.agent, visit.now_ms
            )
        )
        if isinstance(found, Refused):
            status, visit.errors["password"], headers = _refusal(found)
            visit.owner = None
            return self._sign_in_page(visit, status, headers)
        await self._enter(visit, found)
        return Redirect(visit.take_page("/keys"))

    async def _enter(self, visit: Visit, made: NewSession) -> None:
        """Replace the browser's session, so that nobody can have prepared it."""
        await self._dashboard.end_session(visit)
        visit.put_cookie(VISIT, "")
        self._dashboard.begin_session(visit, made.token)
        visit.owner = made.owner

    async def sign_out(self, visit: Visit) -> Answer:
        """End this session."""
        await self._dashboard.end_session(visit)
        visit.put_cookie(SESSION, "")
        visit.owner = None
        visit.begin_visit()
        return Redirect("/sign-in", {"notice": "You are signed out."})

    # Keys

    async def show_keys(self, visit: Visit) -> Answer:
        """List the keys, and show a new one in full, once."""
        name = _owner(visit).account
        account, keys = await self._dashboard.use_access(
            lambda access: (
                _account(access, name, visit.now_ms),
                [key for key in access.keys.all_keys() if key.account == name],
            )
        )
        secret = visit.once.get("secret", "")
        address = self._service.base_url or visit.site
        filled = {
            "account": account,
            "bookmaker": bookmaker_in_words(account.plan, account.bookmaker),
            "bookmakers": await self._bookmakers.choices(),
            "keys": sorted(keys, key=lambda key: (key.is_revoked, -key.key_id)),
            "active": len(account.key_ids),
            "most": MAX_KEYS,
            "secret": secret,
            "command": f'curl -H "X-Api-Key: {secret}" "{address}/api/games?limit=3"',
        }
        return Page("keys.html", "Keys", filled)

    async def create(self, visit: Visit) -> Answer:
        """Make a key."""
        name, now_ms = _owner(visit).account, visit.now_ms

        def create_key(access: AccessStore) -> NewKey:
            _account(access, name, now_ms)
            return access.keys.create(name, None, None, now_ms)

        try:
            made = await self._dashboard.use_access(create_key)
        except KeyLimitError:
            said = f"An account has at most {MAX_KEYS} keys. Revoke one to create another."
            return Redirect("/keys", {"problem": said})
        return Redirect("/keys", {"secret": made.secret, "notice": "The key was created."})

    async def rotate(self, visit: Visit) -> Answer:
        """Replace a key by a new one."""
        name, ident = _owner(visit).account, visit.field("key")

        def rotate_key(access: AccessStore) -> NewKey:
            return access.keys.rotate(str(_own_key(access, name, ident).key_id))

        try:
            made = await self._dashboard.use_access(rotate_key)
        except UnknownKeyError:
            return _no_such_key()
        notice = "The key was rotated. The old one has stopped working."
        return Redirect("/keys", {"secret": made.secret, "notice": notice})

    async def revoke(self, visit: Visit) -> Answer:
        """End a key."""
        name, ident = _owner(visit).account, visit.field("key")

        def revoke_key(access: AccessStore) -> Key:
            key = _own_key(access, name, ident)
            return access.keys.revoke(str(key.key_id), visit.now_ms)

        try:
            ended = await self._dashboard.use_access(revoke_key)
        except UnknownKeyError:
            return _no_such_key()
        return Redirect("/keys", {"notice": f"{ended.masked} was revoked."})

    async def choose_bookmaker(self, visit: Visit) -> Answer:
        """Choose the one bookmaker of the Free plan."""
        name, chosen = _owner(visit).account, visit.field("bookmaker")
        if chosen not in await self._bookmakers.choices():
            return Redirect("/keys", {"problem": "Choose a bookmaker from the list."})
        await self._dashboard.use_access(
            lambda access: access.keys.change_account(name, visit.now_ms, bookmaker=chosen)
        )
        return Redirect("/keys", {"notice": f"Your bookmaker is {chosen} now."})

    # Usage

    async def show_usage(self, visit: Visit) -> Answer:
        """Show what is left, and when each key was used last."""
        name = _owner(visit).account
        account, keys, last = await self._dashboard.use_access(
            lambda access: (
                _account(access, name, visit.now_ms),
                access.keys.all_keys(),
                access.keys.last_uses(),
            )
        )
        rights, streams = account.plan.rights, self._service.open_streams()
        uses, left = [], 0
        for key in reversed(keys):
            caller = self._service.access.known_by_id(key.key_id)
            if key.key_id not in account.key_ids or caller is None:
                continue
            slot = slot_of(caller)
            count = await self._service.access.peek(*slot, visit.now_ms)
            left += count.remaining
            if count.remaining < rights.requests:  # counts are saved a little later
                window_s = slot[-1]
                last[key.key_id] = (count.reset_s - window_s) * 1_000
            uses.append(
                KeyUse(
                    key.masked,
                    count.remaining,
                    rights.requests,
                    streams.get(key.key_id, 0),
                    last.get(key.key_id),
                )
            )
        filled = {
            "account": msgspec.structs.replace(account, requests_left=left),
            "plan": plan_in_words(account.plan, account.bookmaker),
            "window": "today" if account.plan is Plan.FREE else "this hour",
            "streams_left": _left(account, account.streams_left),
            "tokens_left": _left(account, account.tokens_left),
            "streams_open": sum(use.streams_open for use in uses),
            "uses": uses,
        }
        return Page("usage.html", "Usage", filled)

    # Account

    async def show_account(self, visit: Visit) -> Answer:
        """Show the form for another password, and the sessions."""
        owner = _owner(visit)
        sessions = await self._dashboard.use_access(
            lambda access: access.owners.sessions(owner.account, visit.now_ms)
        )
        filled = {"sessions": sessions, "this": owner.session_id, "password_rule": PASSWORD_RULE}
        return Page("account.html", "Account", filled, 422 if visit.errors else 200)

    async def change_password(self, visit: Visit) -> Answer:
        """Change the password; every other session ends."""
        owner, chosen = _owner(visit), visit.field("password")
        if chosen != visit.field("again"):
            visit.errors["again"] = "The two passwords differ."
            return await self.show_account(visit)
        try:
            found = await self._dashboard.check_password(
                lambda access: access.owners.change_password(
                    owner, visit.field("current"), chosen, visit.address, visit.now_ms
                )
            )
        except BadPasswordError as error:
            visit.errors["password"] = sentence(error)
            return await self.show_account(visit)
        if isinstance(found, Refused):
            wrong = "The current password is wrong."
            visit.errors["current"] = _refusal(found, wrong)[1]
            return await self.show_account(visit)
        await self._enter(visit, found)
        said = "Your password is changed. All other sessions have ended."
        return Redirect("/account", {"notice": said})

    async def end_session(self, visit: Visit) -> Answer:
        """End another session of the account."""
        owner, ident = _owner(visit), visit.field("session")
        ended = ident.isascii() and ident.isdecimal() and len(ident) < 19
        if ended:
            ended = await self._dashboard.use_access(
                lambda access: access.owners.end_session_of(owner.account, int(ident))
            )
        said = {"notice": "The session has ended."}
        return Redirect("/account", said if ended else {"problem": "That session is over."})

    async def end_others(self, visit: Visit) -> Answer:
        """End all sessions of the account but this."""
        owner = _owner(visit)

        def end_all(access: AccessStore) -> None:
            for each in access.owners.sessions(owner.account, visit.now_ms):
                if each.session_id != owner.session_id:
                    access.owners.end_session_of(owner.account, each.session_id)

        await self._dashboard.use_access(end_all)
        return Redirect("/account", {"notice": "All other sessions have ended."})


def _owner(visit: Visit) -> Owner:
    assert visit.owner is not None
    return visit.owner


def _account(access: AccessStore, name: str, now_ms: int) -> AccountState:
    """Return an account, on the thread of the keys.

    Raises:
        TurnedAway: it was removed just now.
    """
    found = next((each for each in access.keys.accounts(now_ms) if each.name == name), None)
    if found is None:
        raise TurnedAway(404, "No such account", "The account was removed.")
    return found


def _own_key(access: AccessStore, account: str, ident: str) -> Key:
    """Return an active key of an account, so that nobody can end another's."""
    for key in access.keys.all_keys():
        if key.account == account and str(key.key_id) == ident and not key.is_revoked:
            return key
    raise UnknownKeyError(ident)


def _no_such_key() -> Redirect:
    return Redirect("/keys", {"problem": "That key is not active. Nothing was changed."})


def _invitation_ended() -> TurnedAway:
    return TurnedAway(
        404,
        "This invitation has ended",
        "It was used, replaced, or is too old. Ask the operator of this server for a new one.",
    )


def _refusal(refused: Refused, wrong: str = _WRONG) -> tuple[int, str, Headers]:
    """Return status, words and headers: the same for unknown accounts and wrong passwords."""
    if not refused.wait_s:
        return 422, wrong, ()
    retry = ((b"retry-after", str(refused.wait_s).encode()),)
    later = f"Try again in {_seconds(refused.wait_s)}."
    if refused.was_checked:
        return 422, f"{wrong} {later}", retry
    return 429, f"There were too many tries; the password was not checked. {later}", retry


def _seconds(count: int) -> str:
    return f"{count} s" if count < 120 else f"{-(-count // 60)} min"


def _left(account: AccountState, left: int | None) -> str:
    if not account.plan.rights.websocket:
        return "no streams"
    return "no limit" if left is None else f"{left:,} today"


def sentence(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}."


def _cookie_text(token: str) -> str:
    """Return a token if it can be a cookie; strangers can write anything into a link."""
    is_token = token.isascii() and token.isalnum() and len(token) <= 200
    return token if is_token else "none"
