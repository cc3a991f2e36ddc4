"""The pages of an operator: accounts and plans, and the state of the server."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import AccountState, bookmaker_in_words, plan_in_words
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.resources import Health
from oddsdesk.server.dashboard import invitation_link
from oddsdesk.server.dashboard.own_pages import Bookmakers, Choices, sentence
from oddsdesk.server.dashboard.site import (
    Answer,
    Dashboard,
    Page,
    Place,
    Redirect,
    moment_in_words,
    sent_moment,
)
from oddsdesk.server.dashboard.visits import Visit
from oddsdesk.server.endpoints.health import HealthGate, Looks
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.store.access import AccessStore
from oddsdesk.store.accounts import (
    OWN_ACCOUNT,
    BadAccountError,
    LastOperatorError,
    OwnAccountError,
    UnknownAccountError,
)
from oddsdesk.store.names import unknown_bookmaker
from oddsdesk.store.owners import NoOwnerError, SignInState

_UNCHANGED: Final = (
    BadAccountError,
    LastOperatorError,
    NoOwnerError,
    OwnAccountError,
    UnknownAccountError,
)


class AccountLine(msgspec.Struct, frozen=True):
    """An account in the list."""

    name: str
    plan: str
    bookmaker: str
    chosen: str | None
    keys: int
    left: str
    sign_in: str
    owner: SignInState
    is_own: bool
    """Whether the operator who looks is signed in with it."""
    why: str = ""
    """Why it cannot be changed; empty if it can."""


class OperatorPages:
    """The pages that only operators see."""

    def __init__(self, dashboard: Dashboard, reads: ReaderPool, looks: Looks) -> None:
        self._dashboard = dashboard
        self._service = dashboard.service
        self._reads = reads
        self._bookmakers = Bookmakers(self._service, reads)
        self._health = HealthGate(self._service, looks)
        dashboard.add_places(
            {
                "/accounts": Place(self.show_accounts, is_operators=True),
                "/accounts/invite": Place(post=self.invite, is_operators=True),
                "/accounts/change": Place(post=self.change, is_operators=True),
                "/accounts/remove": Place(post=self.remove, is_operators=True),
                "/accounts/withdraw": Place(post=self.withdraw, is_operators=True),
                "/accounts/sign-out": Place(post=self.sign_out, is_operators=True),
                "/accounts/make-operator": Place(post=self.make_operator, is_operators=True),
                "/accounts/end-operator": Place(post=self.end_operator, is_operators=True),
                "/server": Place(self.show_server, is_operators=True),
            }
        )

    async def show_accounts(self, visit: Visit) -> Answer:
        """List the accounts, and show a new invitation, once."""
        states, sign_ins = await self._dashboard.use_access(
            lambda access: (access.keys.accounts(visit.now_ms), access.owners.states(visit.now_ms))
        )
        own = "" if visit.owner is None else visit.owner.account
        filled = {
            "accounts": [_line(each, sign_ins[each.name], own) for each in states],
            "plans": [plan.value for plan in Plan],
            "bookmakers": await self._bookmakers.choices(),
            "account_name": visit.field("account")[:200],
            "invitation": visit.once.get("link", ""),
            "invited": visit.once.get("account", ""),
            "lines": visit.once.get("lines", []),
        }
        return Page("accounts.html", "Accounts", filled, 422 if visit.errors else 200)

    async def invite(self, visit: Visit) -> Answer:
        """Make a link with which an owner sets a password."""
        name, asked = visit.field("account"), visit.field("plan")
        plan = _plan(asked)
        if asked and plan is None:
            return _no_such_plan()
        operator = True if visit.field("operator") == "yes" else None
        try:
            made = await self._dashboard.use_access(
                lambda access: access.owners.invite(
                    name, visit.now_ms, operator=operator, plan=plan
                )
            )
        except _UNCHANGED as error:
            visit.errors["account"] = sentence(error)
            return await self.show_accounts(visit)
        link = invitation_link(self._service.base_url or visit.site, made.token)
        lines = [
            "Send this link to the owner of the account. It works once, until"
            f" {moment_in_words(made.ends_at)}, and will not be shown again."
        ]
        if made.makes_operator:
            lines.append("It makes the owner an operator, who manages the server and all accounts.")
        if made.is_reset:
            lines.append("Until it is used, the current password still works.")
        if not self._service.base_url and not visit.is_encrypted:
            lines.append(
                "It opens on the server's machine only. For others, start the server with"
                " --base-url, or put its public address into the link."
            )
        return Redirect("/accounts", {"link": link, "account": made.account, "lines": lines})

    async def change(self, visit: Visit) -> Answer:
        """Change plan and bookmaker of an account; its keys stay."""
        name, bookmaker = visit.field("account"), visit.field("bookmaker") or None
        plan = _plan(visit.field("plan"))
        if plan is None:
            return _no_such_plan()
        try:
            before, after = await self._dashboard.use_access(
                lambda access: access.keys.change_account(
                    name, visit.now_ms, plan=plan, bookmaker=bookmaker
                )
            )
        except _UNCHANGED as error:
            return Redirect("/accounts", {"problem": sentence(error)})
        if (before.plan, before.bookmaker) == (after.plan, after.bookmaker):
            return Redirect("/accounts", {"notice": f"Account {after.name}: nothing changed."})
        said = f"Account {after.name} is on {_rights(after)} now."
        once = {"notice": said}
        if warning := _warning(after, await self._bookmakers.choices()):
            once["warning"] = warning
        return Redirect("/accounts", once)

    async def remove(self, visit: Visit) -> Answer:
        """Remove an account with its keys."""

        def remove_account(access: AccessStore, name: str) -> str:
            access.keys.remove_account(name, visit.now_ms, keeps_operator=True)
            return f"Account {name} was removed."

        return await self._change_other(visit, remove_account)

    async def withdraw(self, visit: Visit) -> Answer:
        """End an open invitation; the account stays."""
        name = fold_name(visit.field("account"))
        if not await self._dashboard.use_access(lambda access: access.owners.withdraw_invite(name)):
            return Redirect("/accounts", {"problem": "There is no such open invitation."})
        said = f"The invitation of {name} was withdrawn. Its link no longer works."
        return Redirect("/accounts", {"notice": said})

    async def sign_out(self, visit: Visit) -> Answer:
        """End all sessions of an account."""

        def end_sessions(access: AccessStore, name: str) -> str:
            count = access.owners.sign_out(name, keeps_invitation=True)
            return f"{count} session{'' if count == 1 else 's'} of {name} ended."

        return await self._change_other(visit, end_sessions)

    async def make_operator(self, visit: Visit) -> Answer:
        """Make an owner an operator, who then signs in again."""

        def begin_role(access: AccessStore, name: str) -> str:
            access.owners.make_operator(name)
            return f"{name} is an operator now, and signs in again: all sessions have ended."

        return await self._change_other(visit, begin_role)

    async def end_operator(self, visit: Visit) -> Answer:
        """End the role of another operator."""

        def end_role(access: AccessStore, name: str) -> str:
            access.owners.end_operator(name)
            return f"{name} is no longer an operator."

        return await self._change_other(visit, end_role)

    async def _change_other(self, visit: Visit, work: Callable[[AccessStore, str], str]) -> Answer:
        """Change an account that is not the operator's own, so that one operator is left."""
        name = fold_name(visit.field("account"))
        if visit.owner is not None and name == visit.owner.account:
            said = "You are signed in with this account. Another operator can do this."
            return Redirect("/accounts", {"problem": said})
        try:
            said = await self._dashboard.use_access(lambda access: work(access, name))
        except _UNCHANGED as error:
            return Redirect("/accounts", {"problem": sentence(error)})
        return Redirect("/accounts", {"notice": said})

    async def show_server(self, visit: Visit) -> Answer:
        """Show health, feeds, reference and retention."""
        health = (await self._health.present()).data
        store = self._service.store
        days = await self._reads.run(lambda: store.reader().keep_days())
        last = health.last_scraped_at
        facts = [
            ("Version", health.version),
            ("Database", health.database),
            ("Newest price", sent_moment(last) if last else "none"),
            ("Prices", _prices_in_words(health)),
            ("Sharp book (reference)", store.reference),
            ("Price history", f"kept for {days:,} days" if days else "kept for ever"),
        ]
        filled: dict[str, Any] = {
            "status": health.status,
            "reasons": health.reasons or [],
            "facts": facts,
            "feeds": list(self._service.feeds()),
        }
        return Page("server.html", "Server", filled)


def _prices_in_words(health: Health) -> str:
    if health.shifted:
        return "old odds (times shifted): no bookmaker offers them any more"
    return "simulated: nobody offers them" if health.simulated else "real"


def _plan(text: str) -> Plan | None:
    return next((each for each in Plan if each.value == text), None)


def _no_such_plan() -> Redirect:
    return Redirect("/accounts", {"problem": "Choose a plan from the list."})


def _line(account: AccountState, owner: SignInState, own: str) -> AccountLine:
    window = "today" if account.plan is Plan.FREE else "this hour"
    return AccountLine(
        account.name,
        account.plan.value,
        bookmaker_in_words(account.plan, account.bookmaker),
        account.bookmaker,
        len(account.key_ids),
        f"{account.requests_left:,} {window}" if account.key_ids else "–",
        _sign_in(owner),
        owner,
        is_own=account.name == own,
        why="Used by the desk, cannot be changed" if account.name == OWN_ACCOUNT else "",
    )


def _sign_in(state: SignInState) -> str:
    said = ["operator"] if state.is_operator else []
    if state.has_password:
        said.append(f"{state.sessions} session{'' if state.sessions == 1 else 's'}")
    if state.invited_until is not None:
        invited = "invited as operator" if state.makes_operator else "invited"
        said.append(f"{invited} until {moment_in_words(state.invited_until)}")
    return ", ".join(said) or "not invited"


def _rights(account: AccountState) -> str:
    return plan_in_words(account.plan, account.bookmaker)


def _warning(account: AccountState, known: Choices) -> str:
    """Return why the account's keys get no odds, if they do not."""
    if account.plan.rights.all_bookmakers:
        return ""
    if account.bookmaker is None:
        return "Its keys get no odds: Free has one bookmaker, and none is chosen."
    if unknown := unknown_bookmaker(account.bookmaker, [*known.priced, *known.others]):
        return f"Its keys get no odds: {unknown}."
    if not known.has_odds(account.bookmaker):
        return f"Its keys get no odds at the moment: there are none of {account.bookmaker}."
    return ""
