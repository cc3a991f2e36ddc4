"""Options shared by several commands."""

import functools
import ipaddress
import math
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import click
from click.shell_completion import CompletionItem

from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import (
    FigureError,
    may_be_thousands,
    read_moment,
    read_rate,
    read_typed_amount,
)
from oddsdesk.base.numbers import num
from oddsdesk.base.places import NoHomeError, default_database, default_ledger, how_to_install
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.contract.identity import fold_name
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.formats import OddsFormatError, parse_typed
from oddsdesk.server.settings import ALL_ROLES, LOOPBACK_PROXIES, PublicAddress, Role, TlsFiles
from oddsdesk.store.databases import KEEP_ALL, Database, DatabaseUrl, database_named

F = TypeVar("F", bound=Callable[..., Any])


class DatabaseType(click.ParamType):  # type: ignore[type-arg]
    """A database: the path of a file, or a URL."""

    name = "database"
    _file: Final = click.Path(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Database:
        """Return the database."""
        return database_named(value) if isinstance(value, str) else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete file names."""
        return self._file.shell_complete(ctx, param, incomplete)


def with_point(value: Any) -> Any:
    """Return a typed number with a point for its decimal comma; others as they are.

    ``1,500`` may be thousands, so it stays, which no number may.
    """
    is_typed = isinstance(value, str) and not may_be_thousands(value)
    return value.replace(",", ".") if is_typed else value


class Decimal(click.types.FloatParamType):
    """A number with a decimal point or comma."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number: float = super().convert(with_point(value), param, ctx)
        return number


class RateType(click.types.FloatParamType):
    """What a currency is worth: ``1.085``; a comma that may separate thousands is refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        if isinstance(value, str) and "," in value:
            try:
                value = read_rate("rate", value)
            except FigureError as error:
                self.fail(translated(str(error)), param, ctx)
        rate: float = super().convert(value, param, ctx)
        return rate


class Number(click.FloatRange):
    """A finite number in a range; plain click accepts `nan`, which passes every comparison.

    ``what`` names the value in error messages.
    """

    def __init__(
        self,
        least: float,
        most: float | None = None,
        *,
        above: bool = False,
        what: str = pgettext("a value", "number"),
    ) -> None:
        super().__init__(least, most, min_open=above)
        self._what = what
        self._range = range_in_words(least, most, above=above)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        try:
            number: float = super().convert(with_point(value), param, ctx)
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            wrong = _("{value}: the {what} must be {range}").format(
                value=value, what=self._what, range=self._range
            )
            self.fail(wrong, param, ctx)
        return number


class AmountType(Number):
    """An amount of money as people type it: ``1,500``, ``7,50``, ``€12``."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the amount."""
        try:
            amount = read_typed_amount("amount", str(value))
        except FigureError as error:
            if "thousands" in str(error):
                self.fail(translated(str(error)), param, ctx)
            return super().convert(value, param, ctx)
        return super().convert(f"{amount:.12g}", param, ctx)


class OddsType(click.ParamType):  # type: ignore[type-arg]
    """Odds as people type them: 5.5, 9/2, +450."""

    name = "odds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return decimal odds."""
        if isinstance(value, float):
            return value
        try:
            return parse_typed(str(value))
        except OddsFormatError as error:
            self.fail(translated(str(error)), param, ctx)


class Percent(Number):
    """A percentage, with or without the % sign, returned as a share of 1."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share."""
        return super().convert(str(value).strip().removesuffix("%").strip(), param, ctx) / 100


def range_in_words(least: float, most: float | None, *, above: bool = False) -> str:
    """Return a range of numbers in words."""
    if most is not None:
        between = (
            _("above {least:,}, at most {most:,}") if above else _("from {least:,} to {most:,}")
        )
        return between.format(least=num(least), most=num(most))
    return (_("above {least:,}") if above else _("at least {least:,}")).format(least=num(least))


def usual_database() -> Path:
    """Return the default database.

    Raises:
        click.ClickException: there is no home folder to keep it in.
    """
    try:
        return default_database()
    except NoHomeError as error:
        raise click.ClickException(
            _("{reason}; give --database FILE, or set HOME").format(reason=translated(str(error)))
        ) from error


def usual_ledger() -> Path:
    """Return the default file of the user's bets.

    Raises:
        click.ClickException: there is no home folder to keep it in.
    """
    try:
        return default_ledger()
    except NoHomeError as error:
        raise click.ClickException(
            _("{reason}; bets are kept in your home folder: set HOME").format(
                reason=translated(str(error))
            )
        ) from error


def _or_usual_ledger(
    _context: click.Context, _parameter: click.Parameter, named: Path | None
) -> Path:
    return usual_ledger() if named is None else named


def ledger_option(*, is_made: bool = False) -> Callable[[F], F]:
    """Return the option for the file of bets, as ``path``.

    A file that the user names must exist, unless ``is_made`` allows creating it.
    """
    return click.option(
        "--ledger",
        "path",
        type=click.Path(exists=not is_made, path_type=Path),
        callback=_or_usual_ledger,
        metavar="FILE",
        show_default=_("the desk's file"),
        help=_("File that holds the bets; created if missing.")
        if is_made
        else _("File that holds the bets."),
    )


json_option = click.option("--json", "as_json", is_flag=True, help=_("Print JSON."))
_THERE: Final[dict[str, Any]] = {
    "type": DatabaseType(),
    "metavar": "FILE|URL",
    "show_default": _("the platform's data folder"),
    "help": _("SQLite file that holds the odds, or postgresql://..."),
}
_MADE: Final = {
    **_THERE,
    "help": _("SQLite file that holds the odds (created if missing), or postgresql://..."),
}
database_option = click.option("--database", default=usual_database, **_THERE)
made_database_option = click.option("--database", default=usual_database, **_MADE)
maybe_database_option = click.option("--database", **_THERE)
"""For commands that can do without a database."""
maybe_made_database_option = click.option("--database", **_MADE)
durable_option = click.option(
    "--durable",
    is_flag=True,
    help=_(
        "Survive a power cut without loss: each write waits for the disk. Without "
        "it, the last second can be lost. For SQLite files only."
    ),
)


def check_durable(database: Database | None, durable: bool) -> None:
    """Refuse --durable for PostgreSQL, whose own settings decide.

    Raises:
        click.UsageError: it was given for PostgreSQL.
    """
    if durable and isinstance(database, DatabaseUrl):
        raise click.UsageError(_("--durable is for files; PostgreSQL has its own setting for it"))


access_option = click.option(
    "--access",
    type=click.Path(path_type=Path),
    metavar="FILE",
    show_default=_("the one next to the database"),
    help=_("File that holds the keys."),
)


def _name(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not fold_name(value):
        raise click.BadParameter(_("{value!r} is not a bookmaker's name").format(value=value))
    return value


def reference_option(**attributes: Any) -> Callable[[F], F]:
    """Return the option for the sharp book."""
    meaning = _("The sharp book: the bookmaker whose prices, margin removed, are the fair odds.")
    return click.option("--reference", metavar="NAME", callback=_name, help=meaning, **attributes)


archive_option = click.option(
    "--archive",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help=_("Folder where `serve --archive` stored what --keep-days removed from the database."),
    show_default=_("the database's"),
)


def check_archive(archive: Path | None) -> None:
    """Refuse to read an archive if pyarrow is not installed.

    Raises:
        click.ClickException: it is not.
    """
    if archive is not None and find_spec("pyarrow") is None:
        raise click.ClickException(
            _("--archive needs pyarrow, which is not installed: {how_to_install}").format(
                how_to_install=how_to_install("archive")
            )
        )


log_reference_option = click.option(
    "--reference",
    metavar="NAME|consensus",
    help=_(
        "The sharp book: a bookmaker, an exchange, consensus (all bookmakers "
        "together), or 'consensus (learned)', with the weights of `scorecard "
        "--weights --save`. Default: the database's."
    ),
)


close_reference_option = click.option(
    "--close-reference",
    metavar="NAME|consensus",
    help=_(
        "Sharp book whose closing line is used for the CLV of all rows. Default: "
        "the desk's setting, else the database's sharp book."
    ),
)
close_method_option = click.option(
    "--close-method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help=_("Devig method for the closing lines of all rows. Default: the desk's setting."),
)


def _days(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Return a number of days; ``KEEP_ALL`` for all."""
    if value is None or value == "all":
        return None if value is None else KEEP_ALL
    if not (value.isascii() and value.isdecimal() and len(value) < 6 and int(value)):
        raise click.BadParameter(
            _("expected a number from 1 to 99999 or 'all', got {value!r}").format(value=value)
        )
    return int(value)


keep_days_option = click.option(
    "--keep-days",
    callback=_days,
    metavar="DAYS|all",
    show_default=_("the database's; all in a new one"),
    help=_("Days of price history to keep, by the time of the price. The database remembers this."),
)


def devig_option(
    meaning: str = _("Devig method: how the sharp book's margin is removed."), **attributes: Any
) -> Callable[[F], F]:
    """Return the option for the devig method."""
    return click.option(
        "--devig",
        "devig_method",
        type=click.Choice(METHODS),
        metavar="METHOD",
        help=meaning,
        **attributes,
    )


def feeds_option(meaning: str) -> Callable[[F], F]:
    """Return the option for feeds, which can be given several times."""
    return click.option("--feed", "feeds", multiple=True, metavar="FEED", help=meaning)


def speed_option(**attributes: Any) -> Callable[[F], F]:
    """Return the option for the speed of replays."""
    return click.option(
        "--speed",
        type=Number(0.01, 100_000),
        help=_("Speed of replays: 60 plays an hour per minute."),
        **attributes,
    )


def _roles(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> frozenset[Role]:
    """Return the roles in a comma-separated list."""
    if value is None:
        return ALL_ROLES
    try:
        return frozenset(Role(name.strip()) for name in value.split(","))
    except ValueError as error:
        known = ", ".join(Role)
        raise click.BadParameter(
            _("expected roles out of {known}, separated by commas").format(known=known)
        ) from error


roles_option = click.option(
    "--roles",
    callback=_roles,
    metavar="LIST",
    show_default=",".join(Role),
    help=_(
        "What this process does, if others do the rest. Only one process runs "
        "valuation, upkeep and feeds. Without api and stream it does not listen."
    ),
)


_NAME: Final = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?")


def _is_name(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return _NAME.fullmatch(text) is not None
    return True


def _hosts(
    _context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    for host in value:
        if not _is_name(host):
            raise click.BadParameter(
                _("{host!r} is not a host name such as odds.example.org").format(host=host)
            )
    return value


def read_base_url(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    """Return a server's public address without a slash at the end."""
    if value is None:
        return None
    wrong = click.BadParameter(
        _("{value!r} is not an address such as https://odds.example.org").format(value=value)
    )
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise wrong from None
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _is_name(host) or parts.username is not None:
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise click.BadParameter(
            _("{value!r}: leave out the path: the service is at the root").format(value=value)
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}"


def _proxies(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[str, ...]:
    found = tuple(each.strip() for each in value.split(",")) if value is not None else ()
    for each in found:
        try:
            ipaddress.ip_network(each)
        except ValueError:
            raise click.BadParameter(
                _("{address!r} is neither an address nor a network such as 10.0.0.0/8").format(
                    address=each
                )
            ) from None
    return found


_OPTIONS: Final = (
    click.option(
        "--allow-host",
        "allow_hosts",
        multiple=True,
        callback=_hosts,
        metavar="NAME",
        help=_(
            "Also answer requests for this host name. By default only this "
            "machine's names and --host are answered."
        ),
    ),
    click.option(
        "--base-url",
        callback=read_base_url,
        metavar="URL",
        help=_(
            "Public address, such as https://odds.example.org. Links and examples "
            "use it, and requests for its name are answered."
        ),
    ),
    click.option(
        "--behind-proxy",
        is_flag=False,
        flag_value=",".join(LOOPBACK_PROXIES),
        callback=_proxies,
        metavar="[ADDRESSES]",
        help=_(
            "Trust X-Forwarded-For, -Proto and -Host from proxies on this machine, "
            "or from these comma-separated addresses and networks. Others are not "
            "trusted."
        ),
    ),
    click.option(
        "--tls-cert",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=_(
            "Certificate for TLS (PEM, with the chain); a renewed one is used "
            "within a minute. Programs on this machine get a separate address "
            "without TLS."
        ),
    ),
    click.option(
        "--tls-key",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=_("Key of the certificate, without a password."),
    ),
)


def public_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command receives them as ``public``."""

    @functools.wraps(command)
    def together(
        *,
        allow_hosts: tuple[str, ...],
        base_url: str | None,
        behind_proxy: tuple[str, ...],
        tls_cert: Path | None,
        tls_key: Path | None,
        **options: Any,
    ) -> Any:
        if (tls_cert is None) != (tls_key is None):
            raise click.UsageError(_("--tls-cert and --tls-key must be given together"))
        tls = None if tls_cert is None or tls_key is None else TlsFiles(tls_cert, tls_key)
        public = PublicAddress(allow_hosts, base_url or "", behind_proxy, tls)
        return command(public=public, **options)

    for option in reversed(_OPTIONS):
        together = option(together)
    return together


def moment(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Return a time in milliseconds; a date is midnight UTC."""
    if value is None:
        return None
    try:
        return read_moment(value, system_clock())
    except FigureError as error:
        raise click.BadParameter(translated(str(error))) from error


def check_span(since: int | None, until: int | None) -> None:
    """Refuse an empty span.

    Raises:
        click.UsageError: it ends before it begins.
    """
    if since is not None and until is not None and since >= until:
        raise click.UsageError(_("--from must be earlier than --to"))
