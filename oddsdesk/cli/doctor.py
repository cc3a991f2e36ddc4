"""`oddsdesk doctor`: what is installed, reachable and writable; says nothing secret."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from oddsdesk.cli.checks import database as databases
from oddsdesk.cli.checks import machine, own_files, server, window
from oddsdesk.cli.checks.finding import Mark, Section
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

_json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON array, a section an object."
)


@click.command()
@database_option
@_port_option
@_full_option
@_json_option
def doctor(database: Database, port: int, full: bool, as_json: bool) -> None:
    """Tell what is installed, reachable and writable, to paste into a bug report.

    No keys are told. The exit status is 1 where something is broken. Where the server alone is
    installed, nothing of a window is missed.

    \b
    Example:
      oddsdesk doctor
      oddsdesk doctor --json
      oddsdesk doctor --full --database odds.db
    """
    now_ms = system_clock()
    if isinstance(database, DatabaseUrl):
        contents = databases.postgres_database(database, now_ms)
    else:
        contents = (
            databases.odds_file(database, now_ms, full=full),
            databases.access_file(database, full=full),
        )
    desk = machine.has_desk()
    sections = [
        machine.versions(desk=desk),
        machine.paths(database),
        own_files.own_files(),
        *contents,
        server.server(port, database),
        machine.clock(now_ms),
        *((window.display(), window.keyring()) if desk else ()),
    ]
    _report(sections, as_json)


def _report(sections: Sequence[Section], as_json: bool) -> None:
    """Print what was found; exit with 1 where something is broken."""
    broken = sum(each.mark is Mark.BROKEN for section in sections for each in section.findings)
    if as_json:
        click.echo(json.dumps(list(map(_fields, sections)), indent=2, ensure_ascii=False))
    else:
        for line in _lines(sections, broken):
            click.echo(line)
    if broken:
        sys.exit(1)


def _fields(section: Section) -> dict[str, Any]:
    """Return a section as ``--json`` prints it."""
    findings = [
        {"name": each.name, "text": _without_home(each.text), "mark": each.mark.name.lower()}
        for each in section.findings
    ]
    return {"title": section.title, "findings": findings}


def _lines(sections: Iterable[Section], broken: int) -> Iterator[str]:
    for section in sections:
        yield section.title
        for finding in section.findings:
            text = " ".join(f"{finding.name}: {finding.text}".split())
            yield f"  {_MARKS[finding.mark]}  {_without_home(text)}"
    things = "thing is" if broken == 1 else "things are"
    yield f"\n{broken} {things} broken (BAD)" if broken else "\nnothing is broken"


def _without_home(text: str) -> str:
    """Return a text with the user's folder as ~: a report is shown to others."""
    home = home_folder()
    return text if home is None or home == home.parent else text.replace(str(home), "~")
