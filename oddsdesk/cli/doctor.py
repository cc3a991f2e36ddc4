"""`oddsdesk doctor`: what is installed, reachable and writable; says nothing secret."""

import sys
from collections.abc import Iterable

import click

from oddsdesk.cli.checks import database, machine, window
from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.cli.options import database_option
from oddsdesk.clock import system_clock
from oddsdesk.places import home_folder
from oddsdesk.server.settings import DEFAULT_PORT
from oddsdesk.store.databases import Database, DatabaseUrl

_MARKS = {Mark.OK: "ok  ", Mark.NOTE: "note", Mark.BROKEN: "BAD "}

_port_option = click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="The port that `serve` would listen on.",
)
_full_option = click.option(
    "--full", is_flag=True, help="Read all of the database for damage, however long it takes."
)


@click.command()
@database_option
@_port_option
@_full_option
def doctor(database: Database, port: int, full: bool) -> None:
    """Tell what is installed, reachable and writable, to paste into a bug report.

    No keys are told. The exit status is 1 where something is broken.

    \b
    Example:
      oddsdesk doctor
      oddsdesk doctor --full --database odds.db
    """
    _report([*_common(database, port, full), window.display(), window.keyring()])


@click.command(name="doctor")
@database_option
@_port_option
@_full_option
def server_doctor(database: Database, port: int, full: bool) -> None:
    """Tell what is installed, reachable and writable, to paste into a bug report.

    No keys are told. The exit status is 1 where something is broken.

    \b
    Example:
      oddsdesk-server doctor
      oddsdesk-server doctor --full --database odds.db
    """
    _report(_common(database, port, full))


def _common(named: Database, port: int, full: bool) -> list[Section]:
    now_ms = system_clock()
    if isinstance(named, DatabaseUrl):
        contents = database.postgres_database(named, now_ms)
    else:
        contents = (
            database.odds_file(named, now_ms, full=full),
            database.access_file(named, full=full),
        )
    return [
        machine.versions(),
        machine.paths(named),
        *contents,
        machine.port(port, named),
        machine.clock(now_ms),
    ]


def _report(sections: Iterable[Section]) -> None:
    broken = 0
    for section in sections:
        click.echo(section.title)
        for finding in section.findings:
            click.echo(f"  {_MARKS[finding.mark]}  {_line(finding)}")
            broken += finding.mark is Mark.BROKEN
    if broken:
        click.echo(f"\n{broken} {'thing is' if broken == 1 else 'things are'} broken (BAD)")
        sys.exit(1)
    click.echo("\nnothing is broken")


def _line(finding: Finding) -> str:
    """One line, with the user's folder as ~: a report is shown to others."""
    text = " ".join(f"{finding.name}: {finding.text}".split())
    home = home_folder()
    return text if home is None or home == home.parent else text.replace(str(home), "~")
