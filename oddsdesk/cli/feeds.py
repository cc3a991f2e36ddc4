"""`oddsdesk feeds`: the state of the running server's feeds; keys, choices and cost of sources."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.cli.tables import aligned
from oddsdesk.clock import system_clock
from oddsdesk.contract.administration import FeedReport
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.adapters import live_names
from oddsdesk.feeds.live.keys import is_key, keep_key
from oddsdesk.network.errors import NetworkError
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import owner_of
from oddsdesk.store.owner_secret import owner_header, secret_path
from oddsdesk.system_keyring import KeyringError

if TYPE_CHECKING:
    from oddsdesk.feeds.live.guides import Guides

T = TypeVar("T")

_HEADINGS: Final = ("NUMBER", "FEED", "STATE", "SINCE", "UNTIL", "CREDITS", "READ AT", "REASON")
_PATH: Final = "/administration/feeds"


@click.group(invoke_without_command=True)
@maybe_database_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, a feed an object.")
@click.pass_context
def feeds(context: click.Context, database: Database | None, as_json: bool) -> None:
    """Show how the feeds of the server are that runs on a database.

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
        click.echo(_table(reports) if reports else "the server runs no feeds")


@feeds.command()
@click.argument("name", metavar="NAME")
def key(name: str) -> None:
    """Keep the key of a source in the system's keyring; a running feed takes it up by itself.

    The key is asked for, or read from standard input where that is no terminal.

    \b
    Example:
      oddsdesk feeds key the-odds-api
      oddsdesk feeds key the-odds-api < key.txt
    """
    if name not in live_names():
        raise click.UsageError(f"{name!r} is no source; there are {', '.join(live_names())}")
    if sys.stdin.isatty():
        given = click.prompt(f"Key of {name}", hide_input=True)
    else:
        given = sys.stdin.readline(4096)
    secret = given.strip()
    if not is_key(secret):
        raise click.ClickException("expected a key: letters and digits, with no blank among them")
    try:
        keep_key(name, secret)
    except KeyringError as error:
        raise click.ClickException(f"the key is not kept: {error}") from error
    click.echo(f"the key of {name} is kept in the keyring")


@feeds.command()
@click.argument("name", metavar="[NAME]", default="")
@click.option("--url", metavar="ADDRESS", help="Where the source is, where a proxy stands for it.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def choices(name: str, url: str | None, as_json: bool) -> None:
    """Show what can be read from a source; without NAME, which sources there are. Free.

    \b
    Example:
      oddsdesk feeds choices
      oddsdesk feeds choices the-odds-api --json
    """
    from oddsdesk.feeds.live.guides import Guides, sources  # noqa: PLC0415 - 0.4 s that --help saves

    found: list[Any] = [*sources()]
    if name:
        found = [*_told(lambda guides: guides.choices(name, url), Guides).choices]
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
    """Tell what a feed would do and cost, before anything is paid.

    \b
    Example:
      oddsdesk feeds plan 'the-odds-api:soccer_epl,basketball_nba?regions=uk,eu'
    """
    from oddsdesk.feeds.live.guides import Guides  # noqa: PLC0415 - as above

    told = _told(lambda guides: guides.plan(feed), Guides)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(told), indent=2))
        return
    counts = [
        f"{part}: {count} game{'' if count == 1 else 's'}" for part, count in told.games.items()
    ]
    click.echo("\n".join([told.sentence or "nothing is known of its cost", *counts]))


def _told(ask: Callable[["Guides"], Awaitable[T]], kind: "type[Guides]") -> T:
    async def answer() -> T:
        guides = kind(system_clock)
        try:
            return await ask(guides)
        finally:
            await guides.close()

    try:
        return asyncio.run(answer())
    except FeedError as error:
        raise click.ClickException(str(error)) from error


def _ask(database: Database) -> list[FeedReport]:
    if isinstance(database, DatabaseUrl):
        raise click.ClickException(
            f"{database}: its servers may be on any machine; /api/health of each tells of its feeds"
        )
    try:
        owner = owner_of(database)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    if owner is None:
        raise click.ClickException(f"{database}: no oddsdesk serves it now")
    if not owner.url:
        who = f"process {owner.pid} runs its feeds"
        raise click.ClickException(f"{database}: {who} and listens on nothing, or only starts")
    header = owner_header(database)
    if not header:
        raise click.ClickException(
            f"{secret_path(database)}: expected the owner's secret, readable by you and nobody"
            " else; restart the server, which makes it"
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
        reply = await http.send("GET", url + _PATH, {})
    finally:
        await http.close()
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
