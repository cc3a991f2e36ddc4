"""`oddsdesk desk`: the window."""

import logging
import sys
from pathlib import Path

import click

from oddsdesk.cli.options import database_option
from oddsdesk.desk.display import missing_display, missing_qt_library
from oddsdesk.feeds.errors import FeedError
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import Settings
from oddsdesk.store.errors import StoreError


@click.command()
@click.option("--local", is_flag=True, help="Use the embedded local server (the default).")
@database_option
@click.option(
    "--feed",
    "feeds",
    multiple=True,
    metavar="FEED",
    help="Where the embedded server's odds come from: none, simulator, replay:FILE or "
    "replay:FORMAT:FILE. Default: the simulator, until the database holds real odds.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0.01, 100_000),
    default=1.0,
    show_default=True,
    help="How fast replays run: 60 plays an hour a minute.",
)
@click.option("--reference", metavar="NAME", help="The bookmaker that prices are judged by.")
@click.option(
    "--devig",
    "devig_method",
    type=click.Choice(METHODS),
    default=DEFAULT_METHOD,
    show_default=True,
    metavar="METHOD",
    help="How the reference's margin is taken out.",
)
@click.option("-v", "--verbose", is_flag=True, help="Tell on stderr what happens.")
def desk(
    local: bool,
    database: Path,
    feeds: tuple[str, ...],
    speed: float,
    reference: str | None,
    devig_method: str,
    verbose: bool,
) -> None:
    """Open the desk.

    \b
    Example:
      oddsdesk desk --local --feed simulator
      oddsdesk desk --local --feed 'replay:the-odds-api:snapshots/*.json.gz'
    """
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if verbose:
        logging.getLogger("oddsdesk").setLevel(logging.INFO)
    problem = missing_display() or missing_qt_library()
    if problem is not None:
        raise click.ClickException(problem)
    from oddsdesk.desk.app import run_desk  # noqa: PLC0415 - Qt only where it can draw

    settings = Settings(
        database,
        port=0,
        reference=reference,
        devig_method=devig_method,
        feeds=feeds,
        speed=speed,
    )
    try:
        run_desk(settings)
    except (StoreError, ListenError, FeedError) as error:
        raise click.ClickException(str(error)) from error
