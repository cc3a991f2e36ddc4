"""`oddsdesk desk`: the window."""

import logging
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from oddsdesk.cli.logs import start_logging
from oddsdesk.cli.options import (
    DatabaseType,
    access_option,
    devig_option,
    feeds_option,
    reference_option,
    speed_option,
)
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    Profile,
    Profiles,
    UnknownProfileError,
)
from oddsdesk.desk.connections.sessions import SessionError
from oddsdesk.desk.shell.display import (
    leave_out_httpx_command,
    missing_display,
    missing_qt,
    missing_qt_libraries,
    restore_import,
)
from oddsdesk.places import NoHomeError, data_folder, settings_folder
from oddsdesk.store.databases import Database, DatabaseUrl


def _only_file(_: click.Context, __: click.Parameter, value: Database | None) -> Path | None:
    if isinstance(value, DatabaseUrl):
        raise click.UsageError(
            f"{value}: the desk's own server keeps a file; run oddsdesk serve on that database, and"
            " connect the desk to it"
        )
    return value


@click.command()
@click.option(
    "--local", is_flag=True, help="Use the embedded local server (so does a first start)."
)
@click.option("--profile", metavar="NAME", help="Use a saved connection.")
@click.option(
    "--database",
    type=DatabaseType(),
    callback=_only_file,
    metavar="FILE",
    show_default="the platform's data folder",
    help="SQLite file that holds the odds; it is made if it is missing.",
)
@access_option
@feeds_option(
    "Where the embedded server's odds come from: none, simulator, replay:FILE or "
    "replay:FORMAT:FILE, or live odds (docs/feeds.md). Default: the simulator, until the "
    "database holds real odds."
)
@speed_option(show_default="1")
@reference_option()
@devig_option(
    "How the reference's margin is taken out, by the embedded server and for true EV. "
    "Default: as the settings say."
)
@click.option("-v", "--verbose", is_flag=True, help="Tell on stderr what happens.")
def desk(
    local: bool,
    profile: str | None,
    database: Path | None,
    access: Path | None,
    feeds: tuple[str, ...],
    speed: float | None,
    reference: str | None,
    devig_method: str | None,
    verbose: bool,
) -> None:
    """Open the desk: on the connection used last, or as the options say.

    Options of the embedded server hold this time only.

    \b
    Example:
      oddsdesk desk --profile "Odds service"
      oddsdesk desk --local --feed simulator
      oddsdesk desk --local --feed 'replay:the-odds-api:snapshots/*.json.gz'
    """
    start_logging(window=True, level=logging.INFO if verbose else logging.WARNING)
    given = {
        "database": None if database is None else str(database.absolute()),
        "access": None if access is None else str(access.absolute()),
        "feeds": feeds or None,
        "speed": speed,
        "reference": reference,
        "devig_method": devig_method,
    }
    _look_for_home()
    changes = {name: value for name, value in given.items() if value is not None}
    wanted = _wanted_profile(profile, local, changes)
    problem = missing_qt() or missing_display() or missing_qt_libraries()
    if problem is not None:
        raise click.ClickException(problem)
    leave_out_httpx_command()
    restore_import()
    from oddsdesk.desk.shell.app import Start, run_desk  # noqa: PLC0415 - Qt only where it can draw

    try:
        run_desk(Start(wanted, devig_method))
    except SessionError as error:
        raise click.ClickException(str(error)) from error


def _look_for_home() -> None:
    """The desk keeps settings, connections and bets, whatever database it opens."""
    try:
        settings_folder()
        data_folder()
    except NoHomeError as error:
        raise click.ClickException(f"{error}; the desk needs one: set HOME") from error


def _wanted_profile(name: str | None, local: bool, changes: Mapping[str, object]) -> Profile | None:
    """Return the connection that the options mean, None where the settings are to say."""
    if name is None:
        if not local and not changes:
            return None
        name = EMBEDDED_NAME
    elif local:
        raise click.UsageError("--profile names a connection already: leave out --local")
    try:
        profile = Profiles(settings_folder()).find(name)
    except UnknownProfileError as error:
        raise click.ClickException(str(error)) from error
    if not changes:
        return profile
    if not isinstance(profile, EmbeddedProfile):
        option = next(iter(changes)).replace("devig_method", "devig").replace("feeds", "feed")
        raise click.UsageError(f"--{option} is for the embedded server; {name!r} is elsewhere")
    return msgspec.structs.replace(profile, **changes)
