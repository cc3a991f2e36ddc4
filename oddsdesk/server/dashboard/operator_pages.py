"""The pages of an operator: accounts and plans, and the state of the server."""

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
from oddsdesk.store.accounts import (
    OWN_ACCOUNT,
    BadAccountError,
    OwnAccountError,
    UnknownAccountError,
)
from oddsdesk.store.names import unknown_bookmaker
from oddsdesk.store.owners import SignInState

_UNCHANGED: Final = (BadAccountError, OwnAccountError, UnknownAccountError)


class AccountLine(msgspec.Struct, frozen=True):
    """An account in the list."""

    name: str
    plan: str
    bookmaker: str
    chosen: str | None
    keys: int
    left: str
    sign_in: str
    may_change: bool
    may_remove: bool
    why: str = ""
    """Why it cannot be changed."""


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
            "accounts": [_line(each, sign_ins.get(each.name), own) for each in states],
            "plans": [plan.value for plan in Plan],
            "bookmakers": await self._bookmakers.choices(),
            "account_name": visit.field("account")[:200],
            "invitation": visit.once.get("link", ""),
            "invited": visit.once.get("account", ""),
            "until": visit.once.get("until", ""),
        }
        return Page("accounts.html", "Accounts", filled, 422 if visit.errors else 200)

    async def invite(self, visit: Visit) -> Answer:
        """Make a link with which an owner sets a password."""
        name = visit.field("account")
        try:
            made = await self._dashboard.use_access(
                lambda access: access.owners.invite(name, visit.now_ms)
            )
        except _UNCHANGED as error:
            visit.errors["account"] = sentence(error)
            return await self.show_accounts(visit)
        link = invitation_link(self._service.base_url or visit.site, made.token)
        until = moment_in_words(made.ends_at)
        return Redirect("/accounts", {"link": link, "account": made.account, "until": until})

    async def change(self, visit: Visit) -> Answer:
        """Change plan and bookmaker of an account; its keys stay."""
        name, bookmaker = visit.field("account"), visit.field("bookmaker") or None
        plan = next((each for each in Plan if each.value == visit.field("plan")), None)
        if plan is None:
            return Redirect("/accounts", {"problem": "Choose a plan from the list."})
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
        name = visit.field("account")
        if visit.owner is not None and fold_name(name) == visit.owner.account:
            said = "You are signed in with this account. Another operator can remove it."
            return Redirect("/accounts", {"problem": said})
        try:
            gone = await self._dashboard.use_access(
                lambda access: access.keys.remove_account(name, visit.now_ms)
            )
        except _UNCHANGED as error:
            return Redirect("/accounts", {"problem": sentence(error)})
        return Redirect("/accounts", {"notice": f"Account {gone.name} was removed."})

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


def _line(account: AccountState, sign_in: SignInState | None, own: str) -> AccountLine:
    window = "today" if account.plan is Plan.FREE else "this hour"
    is_desk = account.name == OWN_ACCOUNT
    return AccountLine(
        account.name,
        account.plan.value,
        bookmaker_in_words(account.plan, account.bookmaker),
        account.bookmaker,
        len(account.key_ids),
        f"{account.requests_left:,} {window}" if account.key_ids else "no active key",
        _sign_in(sign_in),
        may_change=not is_desk,
        may_remove=not is_desk and account.name != own,
        why="Used by the desk, cannot be changed" if is_desk else "",
    )


def _sign_in(state: SignInState | None) -> str:
    if state is None:
        return "not invited"
    said = ["operator"] if state.is_operator else []
    if state.has_password:
        said.append(f"{state.sessions} session{'' if state.sessions == 1 else 's'}")
    if state.invited_until is not None:
        said.append(f"invited until {moment_in_words(state.invited_until)}")
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
