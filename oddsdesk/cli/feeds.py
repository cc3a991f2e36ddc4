"""`oddsdesk feeds`: the state of the running server's feeds, and the keys of their sources."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.contract.administration import FeedReport
from oddsdesk.feeds.live.adapters import live_names
from oddsdesk.feeds.live.keys import keep_key
from oddsdesk.network.errors import NetworkError
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import Owner, owner_of
from oddsdesk.system_keyring import KeyringError

_HEADINGS: Final = ("FEED", "STATE", "SINCE", "UNTIL", "CREDITS", "READ AT", "REASON")
_PATH: Final = "/administration/feeds"


@click.group(invoke_without_command=True)
@maybe_database_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, a feed an object.")
@click.pass_context
def feeds(context: click.Context, database: Path | None, as_json: bool) -> None:
    """Show how the feeds of the server are that runs on a database.

    \b
    Example:
      oddsdesk feeds
      oddsdesk feeds --database odds.db --json
      oddsdesk feeds key the-odds-api
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
    if not (secret and secret.isascii() and secret.isprintable() and " " not in secret):
        raise click.ClickException("expected a key: letters and digits, with no blank among them")
    try:
        keep_key(name, secret)
    except KeyringError as error:
        raise click.ClickException(f"the key is not kept: {error}") from error
    click.echo(f"the key of {name} is kept in the keyring")


def _ask(database: Path) -> list[FeedReport]:
    try:
        owner = owner_of(database)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    if owner is None or not owner.url:
        raise click.ClickException(f"{database}: no oddsdesk serves it now")
    if not owner.secret:
        raise click.ClickException(
            f"{database}: is served by an older oddsdesk, which does not tell of its feeds"
        )
    try:
        body = asyncio.run(_get(owner))
        return msgspec.json.decode(body, type=list[FeedReport])
    except (NetworkError, msgspec.DecodeError) as error:
        raise click.ClickException(f"{database}: its server did not answer: {error}") from error


async def _get(owner: Owner) -> bytes:
    from oddsdesk.network.http import HttpClient  # noqa: PLC0415 - 60 ms that --help saves

    http = HttpClient({"X-Owner": owner.secret}, is_secure=False, is_local=True)
    try:
        reply = await http.send("GET", owner.url + _PATH, {})
    finally:
        await http.close()
    if reply.status != 200:
        raise NetworkError(f"status {reply.status}")
    return reply.body


def _table(reports: list[FeedReport]) -> str:
    rows: list[tuple[str, ...]] = [_HEADINGS, *(_row(each) for each in reports)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    plans = [f"{each.name}: {each.plan}" for each in reports if each.plan]
    return "\n".join([*lines, *plans])


def _row(report: FeedReport) -> tuple[str, ...]:
    counts = (report.credits_left, report.credits_used)
    left, used = ("?" if count is None else f"{count:,}" for count in counts)
    return (
        report.name,
        report.state.replace("_", " "),
        report.since or "-",
        report.until or "-",
        "-" if counts == (None, None) else f"{left} left, {used} used",
        report.read_at or "-",
        report.reason or "-",
    )
