"""`oddsdesk feeds`: state of the running server's feeds; keys, choices and costs of sources."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import click
import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.keyring import KeyringError
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.cli.terminal import aligned
from oddsdesk.contract.administration import FeedReport
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.adapters import Guides, live_names, sources
from oddsdesk.feeds.live.keys import is_key, keep_key
from oddsdesk.network import NetworkError
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import owner_of
from oddsdesk.store.owner_secret import owner_header, secret_path

T = TypeVar("T")

_HEADINGS: Final = (
    N_("NUMBER"),
    N_("FEED"),
    N_("STATE"),
    N_("SINCE"),
    N_("UNTIL"),
    N_("CREDITS"),
    N_("READ AT"),
    N_("REASON"),
)
_PATH: Final = "/administration/feeds"


@click.group(invoke_without_command=True)
@maybe_database_option
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON: an array, one object per feed.")
)
@click.pass_context
def feeds(context: click.Context, database: Database | None, as_json: bool) -> None:
    """Show the feeds of a running server.

    \b
    Example:
      oddsdesk feeds
      oddsdesk feeds --database odds.db --json
      oddsdesk feeds key the-odds-api
      oddsdesk feeds choices the-odds-api
      oddsdesk feeds plan 'the-odds-api:soccer_epl?regions=uk,eu'
    """
    if context.invoked_subcommand is not None:
        return
    reports = _ask(database or usual_database())
    if as_json:
        click.echo(json.dumps([msgspec.to_builtins(each) for each in reports], indent=2))
    else:
        click.echo(_table(reports) if reports else _("the server has no feeds"))


@feeds.command()
@click.argument("name", metavar="NAME")
def key(name: str) -> None:
    """Store the key of a source in the keyring.

    Running feeds pick it up. The command asks for the key, or reads it from standard input if that
    is not a terminal.

    \b
    Example:
      oddsdesk feeds key the-odds-api
      oddsdesk feeds key the-odds-api < key.txt
    """
    if name not in live_names():
        text = _("no source {name!r}; sources are {known}")
        raise click.UsageError(text.format(name=name, known=", ".join(live_names())))
    if sys.stdin.isatty():
        given = click.prompt(_("Key of {name}").format(name=name), hide_input=True)
    else:
        given = sys.stdin.readline(4096)
    secret = given.strip()
    if not is_key(secret):
        raise click.ClickException(_("a key has only letters and digits, and no spaces"))
    try:
        keep_key(name, secret)
    except KeyringError as error:
        text = _("the key was not stored: {reason}")
        raise click.ClickException(text.format(reason=translated(str(error)))) from error
    click.echo(_("the key of {name} is in the keyring").format(name=name))


@feeds.command()
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "--url", metavar="ADDRESS", help=_("Address of the source, if you reach it through a proxy.")
)
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array."))
def choices(name: str, url: str | None, as_json: bool) -> None:
    """List what a source offers; without NAME, list the sources. This costs nothing.

    \b
    Example:
      oddsdesk feeds choices
      oddsdesk feeds choices the-odds-api --json
    """
    found: list[Any] = [*sources()]
    if name:
        found = [*_told(lambda guides: guides.choices_of(name, url)).choices]
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(found), indent=2))
    elif name:
        parts = [(each.name, each.title, translated(each.group)) for each in found]
        click.echo("\n".join(aligned((N_("NAME"), N_("COMPETITION"), N_("SPORT")), parts)))
    else:
        rows = [
            (each.name, each.title, translated(each.key) or _("no key"), translated(each.summary))
            for each in found
        ]
        headings = (N_("NAME"), N_("SOURCE"), N_("KEY"), N_("HAS"))
        click.echo("\n".join(aligned(headings, rows)))


@feeds.command()
@click.argument("feed", metavar="FEED")
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON object."))
def plan(feed: str, as_json: bool) -> None:
    """Show what a feed would do and cost, without spending anything.

    \b
    Example:
      oddsdesk feeds plan 'the-odds-api:soccer_epl,basketball_nba?regions=uk,eu'
    """
    told = _told(lambda guides: guides.plan_feed(feed))
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(told), indent=2))
        return
    counts = [
        ngettext("{part}: {count} game", "{part}: {count} games", count).format(
            part=part, count=count
        )
        for part, count in told.games.items()
    ]
    click.echo("\n".join([translated(told.sentence) or _("its cost is unknown"), *counts]))


def _told(ask: Callable[[Guides], Awaitable[T]]) -> T:
    async def answer() -> T:
        guides = Guides(system_clock)
        try:
            return await ask(guides)
        finally:
            await guides.close_guides()

    try:
        return asyncio.run(answer())
    except FeedError as error:
        raise click.ClickException(translated(str(error))) from error


def _ask(database: Database) -> list[FeedReport]:
    if isinstance(database, DatabaseUrl):
        text = _(
            "{database}: its servers can be on any machine; ask /api/health of each for its feeds"
        )
        raise click.ClickException(text.format(database=database))
    try:
        owner = owner_of(database)
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error
    if owner is None:
        text = _("{database}: no oddsdesk server is running on it")
        raise click.ClickException(text.format(database=database))
    if not owner.url:
        text = _(
            "{database}: process {pid} runs its feeds but has no address, or is still starting"
        )
        raise click.ClickException(text.format(database=database, pid=owner.pid))
    header = owner_header(database)
    if not header:
        text = _(
            "{file}: the owner's secret is missing or readable by other users; restart the server "
            "to create it"
        )
        raise click.ClickException(text.format(file=secret_path(database)))
    try:
        body = asyncio.run(_get(owner.url, header))
        return msgspec.json.decode(body, type=list[FeedReport])
    except (NetworkError, msgspec.DecodeError) as error:
        text = _("{database}: its server did not answer: {reason}")
        reason = translated(str(error))
        raise click.ClickException(text.format(database=database, reason=reason)) from error


async def _get(url: str, header: dict[str, str]) -> bytes:
    from oddsdesk.network.http import HttpClient  # noqa: PLC0415 - 60 ms that --help saves

    http = HttpClient(header, is_secure=False, is_local=True)
    try:
        reply = await http.send_request("GET", url + _PATH, {})
    finally:
        await http.close_connections()
    if reply.status != 200:
        raise NetworkError(_("status {number}").format(number=reply.status))
    return reply.body


def _table(reports: list[FeedReport]) -> str:
    text = _("feed {number}, {name}: {plan}")
    plans = [
        text.format(number=each.number, name=each.name, plan=translated(each.plan))
        for each in reports
        if each.plan
    ]
    return "\n".join([*aligned(_HEADINGS, map(_row, reports)), *plans])


def _row(report: FeedReport) -> tuple[str, ...]:
    credits_text = _("{left} left, {used} used")
    counts = (report.credits_left, report.credits_used)
    left, used = ("?" if count is None else f"{num(count):,}" for count in counts)
    return (
        str(report.number),
        report.name,
        translated(report.state.replace("_", " ")),
        report.since or "-",
        report.until or "-",
        "-" if counts == (None, None) else credits_text.format(left=left, used=used),
        report.read_at or "-",
        translated(report.reason or "-"),
    )
