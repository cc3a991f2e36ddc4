"""`oddsdesk serve`: the server without a window."""

import asyncio
import contextlib
import faulthandler
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk import __version__
from oddsdesk.base.ending import Ending
from oddsdesk.base.places import how_to_install
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import Jobs, new_loop
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli import options
from oddsdesk.cli.configured import ConfiguredCommand
from oddsdesk.cli.logs import start_logging
from oddsdesk.cli.main import silence_output
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.feed import one_of, open_feed
from oddsdesk.feeds.live.adapters import live_names
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.dashboard import PACKAGES
from oddsdesk.server.dashboard.opportunities import Judge
from oddsdesk.server.edge.connections import make_room, most_connections
from oddsdesk.server.edge.listener import Certificate, ListenError, can_share_ports, check_address
from oddsdesk.server.run.monitoring import OPTIONS as METRICS_OPTIONS
from oddsdesk.server.run.monitoring import ServiceManager
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    RUN_ONCE,
    ConnectionLimits,
    PublicAddress,
    Role,
    Settings,
    is_loopback,
)
from oddsdesk.server.the_odds_api import NAME as THE_ODDS_API
from oddsdesk.store.access import check_access_file
from oddsdesk.store.databases import (
    DEFAULT_REFERENCE,
    Database,
    DatabaseUrl,
    has_file,
    part_of_cluster,
)
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.recognition import recognise
from oddsdesk.store.sqlite.schema import ODDS

_WARNING: Final = "warning: "
_UNENCRYPTED: Final = N_(
    "warning: {host} is reachable from other machines without encryption; "
    "give --tls-cert and --tls-key, or put a TLS proxy in front"
)
_OPEN_METRICS: Final = N_(
    "warning: anyone who can connect to {metrics_host}:{metrics_port}/metrics can read it "
    "without a key; allow only your Prometheus"
)
_FEW_CONNECTIONS: Final = N_(
    "warning: the system allows this process {count} connections, not {wanted}; raise its limit "
    "of open files (ulimit -n, LimitNOFILE) or lower --max-connections"
)


class RunLines:
    """Logs the start and the end at level info; with ``--log-format json`` also as fields."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._began = time.monotonic()

    def started(self, url: str) -> None:
        """Log that the server runs, with its address if it listens."""
        fields = self._fields(url)
        said = ", ".join(f"{name} {_said(value)}" for name, value in fields.items())
        _log.info("started: %s", said, extra={"fields": fields})

    @contextlib.contextmanager
    def telling_the_end(self, ending: Ending) -> Iterator[None]:
        """Log why the code inside ended, once all files are closed."""
        try:
            yield
        except BaseException as error:
            self._stopped(str(error) or type(error).__name__)
            raise
        self._stopped(ending.why)

    def _stopped(self, why: str) -> None:
        seconds = round(time.monotonic() - self._began, 1)
        fields = {"why": why, "seconds": seconds}
        _log.info("stopped: %s, after %s s", why, seconds, extra={"fields": fields})

    def _fields(self, url: str) -> dict[str, Any]:
        settings = self._settings
        tls = settings.public.tls
        return {
            "version": __version__,
            "process": os.getpid(),
            "address": url or None,
            "tls": None if tls is None else str(tls.certificate),
            "database": _place(settings.database),
            "engine": "SQLite" if isinstance(settings.database, Path) else "PostgreSQL",
            "roles": [each for each in Role if each in settings.roles],
            "workers": settings.workers,
            "feeds": _kinds(settings.feeds),
        }


def _place(database: Database) -> str:
    return str(database.absolute() if isinstance(database, Path) else database)


def _kinds(feeds: Sequence[str]) -> list[str]:
    """Return only the kind of each feed, since the rest may contain a key."""
    return [each.partition(":")[0] for each in feeds if each != "none"]


def _said(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value) or "none"
    return "none" if value is None else str(value)


DEFAULT_LIMITS: Final = ConnectionLimits()

_log: Final = logging.getLogger(__name__)


@click.command(cls=ConfiguredCommand)
@options.made_database_option
@options.access_option
@click.option("--host", default=DEFAULT_HOST, show_default=True, help=_("Address to listen on."))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help=_("Port to listen on; 0 picks a free one."),
)
@options.reference_option(
    show_default=_("the database's; {sharp_book} in a new one").format(sharp_book=DEFAULT_REFERENCE)
)
@options.keep_days_option
@options.devig_option(default=DEFAULT_METHOD, show_default=True)
@options.feeds_option(
    _(
        "Feed to run: none, simulator, replay:FILE, replay:FORMAT:FILE, or live odds "
        "such as the-odds-api:soccer_epl?regions=uk (docs/feeds.md). Can be given "
        "several times."
    )
)
@options.speed_option(default=1.0, show_default=True)
@options.durable_option
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help=_(
        "Write each finished hour of price history to this folder as Parquet files. "
        "Requests for history that --keep-days removed are answered from there. "
        "Needs the extra archive."
    ),
)
@options.roles_option
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help=_("Processes that share the port. One of them runs valuation, upkeep and feeds."),
)
@click.option(
    "--metrics-port",
    type=click.IntRange(1, 65_535),
    metavar="PORT",
    help=_("Port for /metrics, for Prometheus."),
)
@click.option(
    "--metrics-host",
    default=DEFAULT_HOST,
    show_default=True,
    metavar="HOST",
    help=_(
        "Address for /metrics. Anyone who can connect can read all figures: there "
        "is no key and no encryption."
    ),
)
@click.option(
    "--bus",
    metavar="URL",
    help=_(
        "NATS server, nats://HOST:PORT, by which processes on one PostgreSQL "
        "database announce what they recorded. Without it streams are a few "
        "milliseconds slower."
    ),
)
@click.option(
    "--shards",
    type=click.IntRange(1, 64),
    metavar="N",
    help=_(
        "Number of parts of the log in a PostgreSQL database; that many processes "
        "can record at a time. It cannot change once something is recorded."
    ),
    show_default=_("the database's"),
)
@click.option(
    "--share",
    multiple=True,
    metavar="SOURCE",
    help=_(
        "Confirm that you may pass on this source's prices, although its usual "
        "terms forbid it. They are then also served to other machines."
    ),
)
@click.option(
    "--dashboard",
    is_flag=True,
    help=_(
        "Serve web pages at /dashboard: account owners manage their keys, operators "
        "the accounts. Owners sign in with an invitation (`oddsdesk accounts "
        "invite`). Needs the extra dashboard."
    ),
)
@click.option(
    "--serve-as",
    type=click.Choice([THE_ODDS_API]),
    help=_(
        "Also answer the v4 interface of The Odds API, at /v4, so that programs "
        "written for it spend no credits. For this machine only."
    ),
)
@options.public_options
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.in_all,
    show_default=True,
    help=_(
        "Most connections per process. At the limit, a new connection replaces the "
        "oldest one without a key; if all have a key, it is refused."
    ),
)
@click.option(
    "--max-connections-per-address",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.by_address,
    show_default=True,
    help=_(
        "Most connections from one address. Behind a trusted proxy: most "
        "simultaneous requests and streams from the address that it names."
    ),
)
@click.option(
    "--max-handshakes",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.handshakes,
    show_default=True,
    help=_(
        "Most TLS handshakes in progress per process, up to 350 KB each. One more ends the oldest."
    ),
)
@click.option(
    "--log-level",
    type=click.Choice(["info", "warning", "error"]),
    default="warning",
    show_default=True,
    help=_(
        "Lowest level that goes to standard error. The start of feeds is logged "
        "unless the level is error."
    ),
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help=_("Plain text, or one JSON object per line."),
)
@click.option(
    "--access-log",
    is_flag=True,
    help=_(
        "Log each request and stream: address, key number, path, status, bytes, "
        "milliseconds, request id, trace."
    ),
)
@click.option(
    "--quiet-probes",
    is_flag=True,
    help=_(
        "Leave /api/health, /api/ready and /metrics out of the access log if the answer is 200."
    ),
)
def serve(
    database: Database,
    access: Path | None,
    host: str,
    port: int,
    reference: str | None,
    keep_days: int | None,
    devig_method: str,
    feeds: tuple[str, ...],
    speed: float,
    durable: bool,
    archive: Path | None,
    roles: frozenset[Role],
    workers: int,
    metrics_port: int | None,
    metrics_host: str,
    bus: str | None,
    shards: int | None,
    share: tuple[str, ...],
    dashboard: bool,
    serve_as: str | None,
    public: PublicAddress,
    max_connections: int,
    max_connections_per_address: int,
    max_handshakes: int,
    log_level: str,
    log_format: str,
    access_log: bool,
    quiet_probes: bool,
    show_config: bool,
) -> None:
    """Serve odds over HTTP and WebSocket until stopped.

    Once ready, it prints one line with its address. With roles that do not listen, it prints
    `running` and the roles.

    \b
    Example:
      oddsdesk serve --port 0 --feed simulator
    """
    as_json = log_format == "json" and not show_config
    if as_json:  # before the first warning
        _start_logging(log_level, as_json=True)
    if not is_loopback(host) and public.tls is None:
        _warn(_UNENCRYPTED, as_json=as_json, host=host)
    if metrics_port is not None and not is_loopback(metrics_host):
        address = {"metrics_host": metrics_host, "metrics_port": metrics_port}
        _warn(_OPEN_METRICS, as_json=as_json, **address)
    settings = Settings(
        database,
        host,
        port,
        reference,
        devig_method,
        feeds,
        speed,
        keep_days,
        durable,
        access=access,
        share=share,
        roles=roles,
        workers=workers,
        shards=shards,
        archive=archive,
        metrics_port=metrics_port,
        metrics_host=metrics_host,
        bus=bus,
        public=public,
        connections=ConnectionLimits(max_connections, max_connections_per_address, max_handshakes),
        access_log=access_log,
        quiet_probes=quiet_probes,
        dashboard=dashboard,
        judge=_judge(devig_method) if dashboard else None,
        serve_as=serve_as,
    )
    check_together(settings)
    if show_config:
        check_usable(settings)
        return
    ending = Ending()
    ending.listen()
    if not as_json:
        _start_logging(log_level, as_json=False)
    _make_room(settings, as_json=as_json)
    _serve_to_the_end(settings, ending)


def _serve_to_the_end(settings: Settings, ending: Ending) -> None:
    lines = RunLines(settings)
    try:
        with lines.telling_the_end(ending):
            check_new_database(settings)
            _serve(settings, ending, lines)
    except START_ERRORS as error:
        raise unusable(error) from error
    finally:
        ending.listen()  # the loop released the signals, and a second one may come


def _start_logging(level: str, *, as_json: bool) -> None:
    start_logging(window=False, level=getattr(logging, level.upper()), as_json=as_json)


def _warn(text: str, *, as_json: bool, **values: object) -> None:
    """Print a warning, or log it in English if each line has to be JSON."""
    if as_json:
        _log.warning("%s", text.format(**values).removeprefix(_WARNING))
    else:
        click.echo(translated(text).format(**values), err=True)


def _make_room(settings: Settings, *, as_json: bool) -> None:
    wanted = settings.connections.in_all
    make_room(wanted)
    if settings.listens and (most := most_connections()) < wanted:
        _warn(_FEW_CONNECTIONS, as_json=as_json, count=most, wanted=wanted)


def _serve(settings: Settings, ending: Ending, lines: RunLines) -> None:
    manager = ServiceManager()
    with contextlib.suppress(OSError, RuntimeError):  # if there is no standard error
        faulthandler.enable()  # on the watchdog's SIGABRT it prints where each thread hangs

    def announce(url: str) -> None:
        lines.started(url)
        line = first_line(settings, url)
        manager.ready(line)
        _print(line)

    if settings.workers > 1:
        part_of_cluster("workers")(settings, ending, manager).supervise(announce)
        return
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_run(settings, ending, manager, announce))


def _print(line: str) -> None:
    """Print a line; keep serving if standard output is full or closed."""
    try:
        click.echo(line)
    except OSError as error:
        _log.warning("%s; standard output cannot be written: %s", line, error_text(error))
        silence_output()


async def _run(
    settings: Settings, ending: Ending, manager: ServiceManager, announce: Callable[[str], None]
) -> None:
    """Serve until asked to end, which cancels everything."""
    ending.cancel_this_task()
    with contextlib.suppress(asyncio.CancelledError):
        async with serving(settings) as server:
            announce(server.url)
            jobs = Jobs()
            jobs.start_job(
                "systemd",
                lambda: manager.report_status(
                    lambda: _status(settings, server), lambda: server.liveness.is_well
                ),
            )
            try:
                await asyncio.Event().wait()
            finally:
                manager.stopping()
                await jobs.stop_jobs()


def _status(settings: Settings, server: Server) -> str:
    """Return a line for `systemctl status`: what the server does and what is wrong."""
    does = first_line(settings, server.url)
    waits = "; standing by for another process" if server.stands_by else ""
    return "; ".join([does + waits, *(each.line for each in server.troubles.now())])


def first_line(settings: Settings, url: str) -> str:
    """Return the line to print once the server runs."""
    if settings.listens:
        return f"listening on {url}"
    return f"running {', '.join(each for each in Role if each in settings.roles)}"


START_ERRORS: Final = (StoreError, ListenError, FeedError)
"""Errors of a start, each of which is one line with the reason."""


def check_together(settings: Settings) -> None:
    """Refuse options that make no sense, alone or together.

    Raises:
        click.ClickException: one line that names the option.
    """
    _check_shared(settings.share)
    options.check_durable(settings.database, settings.durable)
    _check_roles(settings)
    if settings.metrics_port is None and settings.metrics_host != DEFAULT_HOST:
        raise click.UsageError(_("--metrics-host needs --metrics-port"))
    if settings.workers > 1 and not can_share_ports():
        raise click.ClickException(
            _(
                "this system has no SO_REUSEPORT, so processes cannot share a port: "
                "leave out --workers, or run one server per port behind a proxy"
            )
        )


def check_usable(settings: Settings) -> None:
    """Refuse what a start could not use, with the start's own checks.

    Creates nothing, listens on nothing and contacts no other machine.

    Raises:
        click.ClickException: one line that says what is wrong and why.
    """
    try:
        _check_usable(settings)
    except START_ERRORS as error:
        raise unusable(error) from error


def check_new_database(settings: Settings) -> None:
    """Make the same checks, and that the port is free, before an empty file would be created.

    Raises:
        START_ERRORS: one line that says what is wrong and why.
    """
    database = settings.database
    if isinstance(database, Path) and settings.needs_lock and not has_file(database):
        _check_usable(settings, may_be_in_use=False)


def _check_usable(settings: Settings, *, may_be_in_use: bool = True) -> None:
    if isinstance(settings.database, Path):
        recognise(settings.database, ODDS, look_for_damage=False)
        if settings.access is not None:
            check_access_file(settings.database, settings.access)
    if settings.public.tls is not None:
        Certificate(settings.public.tls)
    if settings.listens:
        check_address(settings.host, settings.port, may_be_in_use=may_be_in_use)
    if settings.metrics_port is not None:
        check_address(
            settings.metrics_host,
            settings.metrics_port,
            may_be_in_use=may_be_in_use,
            of=METRICS_OPTIONS,
        )
    if settings.bus is not None:
        part_of_cluster("bus")(settings)
    for number, spec in enumerate(settings.feeds, 1):
        with one_of(number, len(settings.feeds)):
            _check_feed(spec, settings)


def unusable(error: Exception) -> click.ClickException:
    """Return the error of a command whose server cannot start."""
    option = "--feed: " if isinstance(error, FeedError) else ""
    return click.ClickException(f"{option}{translated(str(error))}")


def _check_feed(spec: str, settings: Settings) -> None:
    if not Path(spec.rpartition(":")[2]).is_fifo():  # a pipe can be read only once
        open_feed(spec, reference=settings.reference or DEFAULT_REFERENCE, speed=settings.speed)


def _check_shared(share: tuple[str, ...]) -> None:
    """Refuse unknown sources, whose prices would silently be left out."""
    known = live_names()
    for source in share:
        if source not in known:
            raise click.UsageError(
                _("--share: no source {source!r}; sources are {sources}").format(
                    source=source, sources=", ".join(known)
                )
            )


def _check_roles(settings: Settings) -> None:
    """Refuse options for roles that this process does not have."""
    given = {
        "--feed": (any(each != "none" for each in settings.feeds), {Role.FEEDS}),
        "--reference": (settings.reference is not None, RUN_ONCE),
        "--keep-days": (settings.keep_days is not None, RUN_ONCE),
        "--archive": (settings.archive is not None, {Role.UPKEEP, Role.API}),
    }
    for option, (is_given, needed) in given.items():
        if is_given and not settings.roles & needed:
            roles = _(" or ").join(sorted(needed))
            raise click.UsageError(
                _("{option} needs the role {roles}").format(option=option, roles=roles)
            )
    if settings.shards is not None and not isinstance(settings.database, DatabaseUrl):
        raise click.UsageError(_("--shards is for PostgreSQL: a file has only one log"))
    if settings.dashboard:
        _check_dashboard(settings)
    if settings.serve_as is not None:
        _check_serve_as(settings)
    if settings.archive is not None and find_spec("pyarrow") is None:
        raise click.UsageError(
            _("--archive needs pyarrow, which is not installed: {how_to_install}").format(
                how_to_install=how_to_install("archive")
            )
        )


def _check_serve_as(settings: Settings) -> None:
    """Refuse to let other machines read: the interface has no keys that could be checked."""
    if Role.API not in settings.roles:
        raise click.UsageError(_("--serve-as needs the role api"))
    public = settings.public
    given = {
        "--behind-proxy": bool(public.behind_proxy),
        "--base-url": bool(public.base_url),
        "--allow-host": bool(public.allow_hosts),
        f"--host {settings.host}": not is_loopback(settings.host),
    }
    for option, is_given in given.items():
        if is_given:
            raise click.UsageError(
                _(
                    "--serve-as {serve_as} cannot be used with {option}: other machines "
                    "could read the prices of your sources, which may not be passed on. "
                    "Serve it at 127.0.0.1, and start a second server for others"
                ).format(serve_as=settings.serve_as, option=option)
            )


def _judge(devig_method: str) -> Judge:
    """Return what judges prices for the pages; servers without them need no board."""
    from oddsdesk.cli.live_values import judge_by  # noqa: PLC0415

    return judge_by(devig_method)


def _check_dashboard(settings: Settings) -> None:
    if Role.API not in settings.roles:
        raise click.UsageError(_("--dashboard needs the role api"))
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise click.UsageError(
            _("--dashboard needs {packages}, not installed: {how_to_install}").format(
                packages=", ".join(missing), how_to_install=how_to_install("dashboard")
            )
        )
