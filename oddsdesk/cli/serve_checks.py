"""What is wrong with the settings of a server, found before it runs."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from oddsdesk.cli.options import check_durable
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.feed import one_of, open_feed
from oddsdesk.feeds.live.adapters import live_names
from oddsdesk.installed import how_to_install
from oddsdesk.server.bus.errors import BusError
from oddsdesk.server.certificate import Certificate
from oddsdesk.server.followed_log import check_bus
from oddsdesk.server.listener import ListenError, can_share_ports, check_address
from oddsdesk.server.metrics import OPTIONS as METRICS_OPTIONS
from oddsdesk.server.settings import DEFAULT_HOST, RUN_ONCE, Role, Settings
from oddsdesk.store.access import check_access_file
from oddsdesk.store.databases import DatabaseUrl, has_file
from oddsdesk.store.errors import StoreError
from oddsdesk.store.settings import DEFAULT_REFERENCE
from oddsdesk.store.sqlite.recognition import recognise
from oddsdesk.store.sqlite.schema import ODDS

START_ERRORS: Final = (StoreError, ListenError, FeedError, BusError)
"""What a start may end with; one line that says why."""


def check_together(settings: Settings) -> None:
    """Refuse what makes no sense, alone or with another option.

    Raises:
        click.ClickException: one line that names the option.
    """
    _check_shared(settings.share)
    check_durable(settings.database, settings.durable)
    _check_roles(settings)
    if settings.metrics_port is None and settings.metrics_host != DEFAULT_HOST:
        raise click.UsageError("--metrics-host needs --metrics-port")
    if settings.workers > 1 and not can_share_ports():
        raise click.ClickException(
            "this system has no SO_REUSEPORT, so processes cannot share a port: leave --workers"
            " out, or run a server for each port behind a proxy"
        )


def check_usable(settings: Settings) -> None:
    """Refuse what the start would find it cannot use, by what it uses itself.

    Nothing is made, listened on or asked of other machines.

    Raises:
        click.ClickException: one line that says what and why.
    """
    try:
        _check_usable(settings)
    except START_ERRORS as error:
        raise unusable(error) from error


def check_new_database(settings: Settings) -> None:
    """Refuse the same, and a port in use, before a file is made that would be left, empty.

    Raises:
        START_ERRORS: one line that says what and why.
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
    check_bus(settings)
    for number, spec in enumerate(settings.feeds, 1):
        with one_of(number, len(settings.feeds)):
            _check_feed(spec, settings)


def unusable(error: Exception) -> click.ClickException:
    """Return why a server cannot start, as a command says it."""
    option = "--feed: " if isinstance(error, FeedError) else ""
    return click.ClickException(f"{option}{error}")


def _check_feed(spec: str, settings: Settings) -> None:
    if not Path(spec.rpartition(":")[2]).is_fifo():  # what comes from one comes once
        open_feed(spec, reference=settings.reference or DEFAULT_REFERENCE, speed=settings.speed)


def _check_shared(share: tuple[str, ...]) -> None:
    """Refuse what is no source: prices that were to be passed on would be left out in silence."""
    known = live_names()
    for source in share:
        if source not in known:
            raise click.UsageError(
                f"--share: {source!r} is no source; there are {', '.join(known)}"
            )


def _check_roles(settings: Settings) -> None:
    """Refuse options that speak of what is left to another process."""
    given = {
        "--feed": (any(each != "none" for each in settings.feeds), {Role.FEEDS}),
        "--reference": (settings.reference is not None, RUN_ONCE),
        "--keep-days": (settings.keep_days is not None, RUN_ONCE),
        "--archive": (settings.archive is not None, {Role.UPKEEP, Role.API}),
    }
    for option, (is_given, needed) in given.items():
        if is_given and not settings.roles & needed:
            raise click.UsageError(f"{option} is for who runs {' or '.join(sorted(needed))}")
    if settings.shards is not None and not isinstance(settings.database, DatabaseUrl):
        raise click.UsageError("--shards is for a database of PostgreSQL: a file has one log")
    if settings.archive is not None and find_spec("pyarrow") is None:
        raise click.UsageError(
            f"--archive needs pyarrow, which is not installed: {how_to_install('archive')}"
        )
