"""`oddsdesk serve`: the server without a window."""

import asyncio
import contextlib
import faulthandler
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from oddsdesk.cli.configured import ConfiguredCommand
from oddsdesk.cli.logs import start_logging
from oddsdesk.cli.options import (
    access_option,
    devig_option,
    durable_option,
    feeds_option,
    keep_days_option,
    made_database_option,
    reference_option,
    roles_option,
    speed_option,
)
from oddsdesk.cli.public import public_options
from oddsdesk.cli.run_lines import RunLines
from oddsdesk.cli.serve_checks import (
    START_ERRORS,
    check_new_database,
    check_together,
    check_usable,
    unusable,
)
from oddsdesk.cli.standard_streams import silence_output
from oddsdesk.ending import Ending
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.descriptors import make_room, most_connections
from oddsdesk.server.liveness import ServiceManager
from oddsdesk.server.loops import new_loop
from oddsdesk.server.runner import Server, serving
from oddsdesk.server.settings import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    ConnectionLimits,
    PublicAddress,
    Role,
    Settings,
    is_loopback,
)
from oddsdesk.store.databases import Database
from oddsdesk.store.settings import DEFAULT_REFERENCE
from oddsdesk.tasks import Jobs

DEFAULT_LIMITS: Final = ConnectionLimits()

_log: Final = logging.getLogger(__name__)


@click.command(cls=ConfiguredCommand)
@made_database_option
@access_option
@click.option("--host", default=DEFAULT_HOST, show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@reference_option(show_default=f"as the database says; {DEFAULT_REFERENCE} in a new one")
@keep_days_option
@devig_option(default=DEFAULT_METHOD, show_default=True)
@feeds_option(
    "A feed to run inside: none, simulator, replay:FILE, replay:FORMAT:FILE, or live odds such as "
    "the-odds-api:soccer_epl?regions=uk (docs/feeds.md); may be given several times."
)
@speed_option(default=1.0, show_default=True)
@durable_option
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write each hour of price history there once it is over, as Parquet files; what "
    "--keep-days removes is there before, and is answered from there (needs the extra archive).",
)
@roles_option
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that share the port; one of them runs valuation, upkeep and feeds.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(1, 65_535),
    metavar="PORT",
    help="Answer /metrics for Prometheus there.",
)
@click.option(
    "--metrics-host",
    default=DEFAULT_HOST,
    show_default=True,
    metavar="HOST",
    help="The address of /metrics; whoever reaches it reads all figures, without a key and without "
    "encryption.",
)
@click.option(
    "--bus",
    metavar="URL",
    help="A NATS server, nats://HOST:PORT, over which processes on one database of PostgreSQL tell "
    "each other what they recorded; without it streams are some milliseconds slower.",
)
@click.option(
    "--shards",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Into how many parts the log of a database of PostgreSQL is divided, so that as many "
    "processes record at a time; settled before anything is recorded.",
    show_default="as it is",
)
@click.option(
    "--share",
    multiple=True,
    metavar="SOURCE",
    help="You may pass on what this source says, though its usual terms forbid it: its prices are "
    "in the answers on an address that other machines reach, too.",
)
@public_options
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.in_all,
    show_default=True,
    help="Connections that a process may have at a time. A new one then takes the place of the "
    "oldest one without a key, and is refused if all have one.",
)
@click.option(
    "--max-connections-per-address",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.by_address,
    show_default=True,
    help="The same of one address; behind a proxy that is believed, requests and streams at a "
    "time of the address that it names.",
)
@click.option(
    "--max-handshakes",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.handshakes,
    show_default=True,
    help="TLS handshakes under way that a process may have, each of up to 350 KB; for a further "
    "one the oldest is ended.",
)
@click.option(
    "--log-level",
    type=click.Choice(["info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="From what on it is told on standard error; what feeds begin, unless only errors are.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or an object of JSON a line.",
)
@click.option(
    "--access-log",
    is_flag=True,
    help="Log each request and stream: who, which key by its number, what, status, bytes, ms.",
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
    public: PublicAddress,
    max_connections: int,
    max_connections_per_address: int,
    max_handshakes: int,
    log_level: str,
    log_format: str,
    access_log: bool,
    show_config: bool,
) -> None:
    """Serve odds over HTTP and WebSocket until stopped.

    Prints one line once it answers: the address. With roles that answer nobody it prints
    `running` and them instead.

    \b
    Example:
      oddsdesk serve --port 0 --feed simulator
    """
    if not is_loopback(host) and public.tls is None:
        click.echo(
            f"warning: {host} can be reached from other machines, without encryption;"
            " give --tls-cert and --tls-key, or put a TLS proxy before it",
            err=True,
        )
    if metrics_port is not None and not is_loopback(metrics_host):
        click.echo(
            f"warning: {metrics_host}:{metrics_port}/metrics can be read by whoever reaches it,"
            " without a key; let only your Prometheus through",
            err=True,
        )
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
    )
    check_together(settings)
    if show_config:
        check_usable(settings)
        return
    ending = Ending()
    ending.listen()
    start_logging(
        window=False, level=getattr(logging, log_level.upper()), as_json=log_format == "json"
    )
    _make_room(settings)
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
        ending.listen()  # the loop has let go of the signals, and a second one may come


def _make_room(settings: Settings) -> None:
    wanted = settings.connections.in_all
    make_room(wanted)
    if settings.listens and (most := most_connections()) < wanted:
        click.echo(
            f"warning: the system lets this process have {most} connections, not {wanted};"
            " raise its limit of open files (ulimit -n, LimitNOFILE) or give --max-connections",
            err=True,
        )


def _serve(settings: Settings, ending: Ending, lines: RunLines) -> None:
    manager = ServiceManager()
    with contextlib.suppress(OSError, RuntimeError):  # where there is no standard error
        faulthandler.enable()  # the watchdog's SIGABRT says where each thread hangs

    def announce(url: str) -> None:
        lines.started(url)
        line = first_line(settings, url)
        manager.ready(line)
        _print(line)

    if settings.workers > 1:
        _supervise(settings, ending, manager, announce)
        return
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_run(settings, ending, manager, announce))


def _print(line: str) -> None:
    """Print a line; standard output on a full disk, or closed, keeps nobody from being served."""
    try:
        click.echo(line)
    except OSError as error:
        _log.warning("%s; standard output cannot be written: %s", line, error.strerror or error)
        silence_output()


def _supervise(
    settings: Settings, ending: Ending, manager: ServiceManager, announce: Callable[[str], None]
) -> None:
    from oddsdesk.server.workers.supervisor import (  # noqa: PLC0415 - not on every system
        CannotStartError,
        Supervisor,
    )

    try:
        Supervisor(settings, ending, manager).run(announce)
    except CannotStartError as error:
        raise click.ClickException(str(error)) from error


async def _run(
    settings: Settings, ending: Ending, manager: ServiceManager, announce: Callable[[str], None]
) -> None:
    """Serve until the end is asked for, which cancels whatever is going on."""
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    assert running is not None
    ending.listen_on(loop)
    ending.then(lambda: loop.call_soon_threadsafe(running.cancel))
    with contextlib.suppress(asyncio.CancelledError):
        async with serving(settings) as server:
            announce(server.url)
            jobs = Jobs()
            jobs.start(
                "systemd",
                lambda: manager.follow(
                    lambda: _status(settings, server), lambda: server.liveness.is_well
                ),
            )
            try:
                await asyncio.Event().wait()
            finally:
                manager.stopping()
                await jobs.stop()


def _status(settings: Settings, server: Server) -> str:
    """Return a line for `systemctl status`: what the server does, and what is wrong."""
    does = first_line(settings, server.url)
    waits = "; stands by for another process" if server.stands_by else ""
    return "; ".join([does + waits, *(each.line for each in server.troubles.now())])


def first_line(settings: Settings, url: str) -> str:
    """Return what is printed once it runs."""
    if settings.listens:
        return f"listening on {url}"
    return f"running {', '.join(each for each in Role if each in settings.roles)}"
