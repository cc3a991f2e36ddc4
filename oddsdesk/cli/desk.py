"""`oddsdesk desk`: the window."""

import logging
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from oddsdesk.base.places import NoHomeError, data_folder, settings_folder
from oddsdesk.base.texts import _, translated
from oddsdesk.cli import options
from oddsdesk.cli.logs import start_logging
from oddsdesk.desk.connections import profiles
from oddsdesk.desk.shell.display import (
    leave_out_httpx_command,
    missing_display,
    missing_qt,
    missing_qt_libraries,
    restore_import,
)
from oddsdesk.store.databases import Database, DatabaseUrl


def _only_file(_context: click.Context, __: click.Parameter, value: Database | None) -> Path | None:
    if isinstance(value, DatabaseUrl):
        raise click.UsageError(
            _(
                "{value}: the built-in server only works with a file; run oddsdesk serve "
                "on that database and connect the desk to it"
            ).format(value=value)
        )
    return value


@click.command()
@click.option(
    "--local", is_flag=True, help=_("Use the built-in server (the default on the first start).")
)
@click.option("--profile", metavar="NAME", help="Use a saved connection.")
@click.option(
    "--database",
    type=options.DatabaseType(),
    callback=_only_file,
    metavar="FILE",
    show_default=_("the platform's data folder"),
    help=_("SQLite file that holds the odds; created if missing."),
)
@options.access_option
@options.feeds_option(
    _(
        "Where the built-in server gets its odds: none, simulator, replay:FILE, "
        "replay:FORMAT:FILE, or live odds (docs/feeds.md). Default: the simulator, until "
        "the database holds real odds."
    )
)
@options.speed_option(show_default="1")
@options.reference_option()
@options.devig_option(
    _(
        "Devig method: how the sharp book's margin is removed, in the built-in server and for EV. "
        "Default: the desk's setting."
    )
)
@click.option("-v", "--verbose", is_flag=True, help=_("Log what happens to stderr."))
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
    """Open the desk.

    It uses the last connection unless you name another one. Options of the built-in server apply to
    this start only.

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
        raise click.ClickException(translated(problem))
    leave_out_httpx_command()
    restore_import()
    from oddsdesk.desk.connections.manager import SessionError  # noqa: PLC0415 - imports Qt
    from oddsdesk.desk.shell.app import Start, run_desk  # noqa: PLC0415 - imports Qt

    try:
        run_desk(Start(wanted, devig_method))
    except SessionError as error:
        raise click.ClickException(translated(str(error))) from error


def _look_for_home() -> None:
    """Refuse to start without a home folder: settings, connections and bets are kept there."""
    try:
        settings_folder()
        data_folder()
    except NoHomeError as error:
        text = _("{reason}; the desk needs a home folder: set HOME")
        raise click.ClickException(text.format(reason=translated(str(error)))) from error


def _wanted_profile(
    name: str | None, local: bool, changes: Mapping[str, object]
) -> profiles.Profile | None:
    """Return the connection that the options name; None if the settings decide."""
    if name is None:
        if not local and not changes:
            return None
        name = profiles.EMBEDDED_NAME
    elif local:
        raise click.UsageError(_("--profile already names a connection: leave out --local"))
    try:
        profile = profiles.Profiles(settings_folder()).find_profile(name)
    except profiles.UnknownProfileError as error:
        raise click.ClickException(translated(str(error))) from error
    if not changes:
        return profile
    if not isinstance(profile, profiles.EmbeddedProfile):
        option = next(iter(changes)).replace("devig_method", "devig").replace("feeds", "feed")
        text = _("--{option} is for the built-in server; {name!r} is a remote one")
        raise click.UsageError(text.format(option=option, name=name))
    return msgspec.structs.replace(profile, **changes)
