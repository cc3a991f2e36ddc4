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

_HEADINGS: Final = ("NUMBER", "FEED", "STATE", "SINCE", "UNTIL", "CREDITS", "READ AT", "REASON")
_PATH: Final = "/administration/feeds"


@click.group(invoke_without_command=True)
@maybe_database_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an array, one object per feed.")
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
        click.echo(_table(reports) if reports else "the server has no feeds")


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
        raise click.UsageError(f"no source {name!r}; sources are {', '.join(live_names())}")
    if sys.stdin.isatty():
        given = click.prompt(f"Key of {name}", hide_input=True)
    else:
        given = sys.stdin.readline(4096)
    secret = given.strip()
    if not is_key(secret):
        raise click.ClickException("a key has only letters and digits, and no spaces")
    try:
        keep_key(name, secret)
    except KeyringError as error:
        raise click.ClickException(f"the key was not stored: {error}") from error
    click.echo(f"the key of {name} is in the keyring")


@feeds.command()
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "--url", metavar="ADDRESS", help="Address of the source, if you reach it through a proxy."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
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
        parts = [(each.name, each.title, each.group) for each in found]
        click.echo("\n".join(aligned(("NAME", "COMPETITION", "SPORT"), parts)))
    else:
        rows = [(each.name, each.title, each.key or "no key", each.summary) for each in found]
        click.echo("\n".join(aligned(("NAME", "SOURCE", "KEY", "HAS"), rows)))


@feeds.command()
@click.argument("feed", metavar="FEED")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
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
        f"{part}: {count} game{'' if count == 1 else 's'}" for part, count in told.games.items()
    ]
    click.echo("\n".join([told.sentence or "its cost is unknown", *counts]))


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
        raise click.ClickException(str(error)) from error


def _ask(database: Database) -> list[FeedReport]:
    if isinstance(database, DatabaseUrl):
        raise click.ClickException(
            f"{database}: its servers can be on any machine; ask /api/health of each for its feeds"
        )
    try:
        owner = owner_of(database)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    if owner is None:
        raise click.ClickException(f"{database}: no oddsdesk server is running on it")
    if not owner.url:
        who = f"process {owner.pid} runs its feeds"
        raise click.ClickException(f"{database}: {who} but has no address, or is still starting")
    header = owner_header(database)
    if not header:
        raise click.ClickException(
            f"{secret_path(database)}: the owner's secret is missing or readable by other users;"
            " restart the server to create it"
        )
    try:
        body = asyncio.run(_get(owner.url, header))
        return msgspec.json.decode(body, type=list[FeedReport])
    except (NetworkError, msgspec.DecodeError) as error:
        raise click.ClickException(f"{database}: its server did not answer: {error}") from error


async def _get(url: str, header: dict[str, str]) -> bytes:
    from oddsdesk.network.http import HttpClient  # noqa: PLC0415 - 60 ms that --help saves

    http = HttpClient(header, is_secure=False, is_local=True)
    try:
        reply = await http.send_request("GET", url + _PATH, {})
    finally:
        await http.close_connections()
    if reply.status != 200:
        raise NetworkError(f"status {reply.status}")
    return reply.body


def _table(reports: list[FeedReport]) -> str:
    plans = [f"feed {each.number}, {each.name}: {each.plan}" for each in reports if each.plan]
    return "\n".join([*aligned(_HEADINGS, map(_row, reports)), *plans])


def _row(report: FeedReport) -> tuple[str, ...]:
    counts = (report.credits_left, report.credits_used)
    left, used = ("?" if count is None else f"{count:,}" for count in counts)
    return (
        str(report.number),
        report.name,
        report.state.replace("_", " "),
        report.since or "-",
        report.until or "-",
        "-" if counts == (None, None) else f"{left} left, {used} used",
        report.read_at or "-",
        report.reason or "-",
    )
