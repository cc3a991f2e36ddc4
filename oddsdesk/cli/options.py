"""Options that several commands share."""

import math
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from oddsdesk.contract.identity import fold_name
from oddsdesk.installed import how_to_install
from oddsdesk.places import NoHomeError, default_database, default_ledger
from oddsdesk.pricing.devig import METHODS
from oddsdesk.server.settings import ALL_ROLES, Role
from oddsdesk.store.databases import Database, DatabaseUrl, database_named
from oddsdesk.store.settings import KEEP_ALL

F = TypeVar("F", bound=Callable[..., Any])


class DatabaseType(click.ParamType):  # type: ignore[type-arg]
    """A file's path or the URL of a database."""

    name = "database"
    _file: Final = click.Path(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Database:
        """Return the database that was named."""
        return database_named(value) if isinstance(value, str) else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete files."""
        return self._file.shell_complete(ctx, param, incomplete)


class Number(click.FloatRange):
    """A finite number of a range: of a plain one click lets `nan` pass, which no comparison stops.

    ``what`` it is called where it is refused.
    """

    def __init__(
        self, least: float, most: float | None = None, *, above: bool = False, what: str = "number"
    ) -> None:
        super().__init__(least, most, min_open=above)
        self._what = f"{what} {range_in_words(least, most, above=above)}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number that was given."""
        try:
            number: float = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{value} is no {self._what}", param, ctx)
        return number


def range_in_words(least: float, most: float | None, *, above: bool = False) -> str:
    """Return a range of numbers as people read it."""
    if most is not None:
        return f"from {least:,} to {most:,}"
    return f"above {least:,}" if above else f"from {least:,} on"


def usual_database() -> Path:
    """Return the database where none is named.

    Raises:
        click.ClickException: there is no home to keep it in.
    """
    try:
        return default_database()
    except NoHomeError as error:
        raise click.ClickException(f"{error}; give --database FILE, or set HOME") from error


def usual_ledger() -> Path:
    """Return the file of the user's bets.

    Raises:
        click.ClickException: there is no home to keep it in.
    """
    try:
        return default_ledger()
    except NoHomeError as error:
        raise click.ClickException(f"{error}; bets are kept there: set HOME") from error


def _or_usual_ledger(_: click.Context, __: click.Parameter, named: Path | None) -> Path:
    return usual_ledger() if named is None else named


def ledger_option(*, is_made: bool = False) -> Callable[[F], F]:
    """Return the option that names the file of the bets, as ``path``.

    One that is named has to be there, unless it is made where it is missing.
    """
    return click.option(
        "--ledger",
        "path",
        type=click.Path(exists=not is_made, path_type=Path),
        callback=_or_usual_ledger,
        metavar="FILE",
        show_default="the desk's",
        help=f"The file that holds the bets{', which is made if it is missing' * is_made}.",
    )


_THERE: Final[dict[str, Any]] = {
    "type": DatabaseType(),
    "metavar": "FILE|URL",
    "show_default": "the platform's data folder",
    "help": "SQLite file that holds the odds, or postgresql://...",
}
_MADE: Final = {
    **_THERE,
    "help": "SQLite file that holds the odds, which is made if it is missing, or postgresql://...",
}
database_option = click.option("--database", default=usual_database, **_THERE)
made_database_option = click.option("--database", default=usual_database, **_MADE)
maybe_database_option = click.option("--database", **_THERE)
"""For commands that may do without."""
maybe_made_database_option = click.option("--database", **_MADE)
durable_option = click.option(
    "--durable",
    is_flag=True,
    help="Lose nothing when power fails: each recording waits for the disk. Else it may cost "
    "the last second. For a file only.",
)


def check_durable(database: Database | None, durable: bool) -> None:
    """Refuse to promise of PostgreSQL what its own settings say.

    Raises:
        click.UsageError: it was asked for.
    """
    if durable and isinstance(database, DatabaseUrl):
        raise click.UsageError("--durable is for a file: PostgreSQL's own settings say it")


access_option = click.option(
    "--access",
    type=click.Path(path_type=Path),
    metavar="FILE",
    show_default="the one beside the database",
    help="File of the keys.",
)


def _name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not fold_name(value):
        raise click.BadParameter(f"{value!r} is no name of a bookmaker")
    return value


def reference_option(**attributes: Any) -> Callable[[F], F]:
    """Return the option that names the reference bookmaker (D1)."""
    meaning = "The bookmaker that prices are judged by."
    return click.option("--reference", metavar="NAME", callback=_name, help=meaning, **attributes)


archive_option = click.option(
    "--archive",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Where `serve --archive` put what --keep-days removed from the database.",
    show_default="as the database says",
)


def check_archive(archive: Path | None) -> None:
    """Refuse to read an archive where what reads it is not installed.

    Raises:
        click.ClickException: so it is.
    """
    if archive is not None and find_spec("pyarrow") is None:
        raise click.ClickException(
            f"--archive needs pyarrow, which is not installed: {how_to_install('archive')}"
        )


log_reference_option = click.option(
    "--reference",
    metavar="NAME|consensus",
    help="Who prices are judged by: a bookmaker, an exchange, or all bookmakers together. "
    "Default: the database's.",
)


close_reference_option = click.option(
    "--close-reference",
    metavar="NAME|consensus",
    help="Whose closing line CLV is by, for all rows. Default: as the desk's settings say, else "
    "the database's reference.",
)
close_method_option = click.option(
    "--close-method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="How the margin is taken out of closing lines, for all rows. Default: as the desk's "
    "settings say.",
)


def _days(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    """Return a number of days, ``KEEP_ALL`` for all."""
    if value is None or value == "all":
        return None if value is None else KEEP_ALL
    if not (value.isascii() and value.isdecimal() and len(value) < 6 and int(value)):
        raise click.BadParameter(f"{value!r} is neither a number from 1 to 99999 nor 'all'")
    return int(value)


keep_days_option = click.option(
    "--keep-days",
    callback=_days,
    metavar="DAYS|all",
    show_default="as the database says; all in a new one",
    help="For how long price history is kept, by the time of the price. The database keeps this.",
)


def devig_option(
    meaning: str = "How the reference's margin is taken out.", **attributes: Any
) -> Callable[[F], F]:
    """Return the option that chooses a devig method (D26)."""
    return click.option(
        "--devig",
        "devig_method",
        type=click.Choice(METHODS),
        metavar="METHOD",
        help=meaning,
        **attributes,
    )


def feeds_option(meaning: str) -> Callable[[F], F]:
    """Return the option that names feeds, as often as it is given."""
    return click.option("--feed", "feeds", multiple=True, metavar="FEED", help=meaning)


def speed_option(**attributes: Any) -> Callable[[F], F]:
    """Return the option that says how fast replays run."""
    return click.option(
        "--speed",
        type=Number(0.01, 100_000),
        help="How fast replays run: 60 plays an hour a minute.",
        **attributes,
    )


def _roles(_: click.Context, __: click.Parameter, value: str | None) -> frozenset[Role]:
    """Return the roles of a list with commas."""
    if value is None:
        return ALL_ROLES
    try:
        return frozenset(Role(name.strip()) for name in value.split(","))
    except ValueError as error:
        known = ", ".join(Role)
        raise click.BadParameter(f"expected some of {known}, separated by commas") from error


roles_option = click.option(
    "--roles",
    callback=_roles,
    metavar="LIST",
    show_default=",".join(Role),
    help="What this process does, where others do the rest. Only one of them runs valuation, "
    "upkeep and feeds; without api and stream it listens on nothing.",
)
