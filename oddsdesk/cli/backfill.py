"""`oddsdesk backfill`: fetches the history of a source and records it."""

import asyncio
import re
import sys
from collections import Counter
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Final

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.cli.import_ import BATCH_QUOTES, accounts
from oddsdesk.cli.ingest import Recorder, open_recorder
from oddsdesk.cli.options import check_span, made_database_option, moment
from oddsdesk.cli.terminal import Progress, plain
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, older_by_reason
from oddsdesk.feeds.live.live_feed import LiveSpec, check_url
from oddsdesk.feeds.live.polling import Sleep
from oddsdesk.feeds.the_odds_api.backfill import Backfill, History
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.values import origin_named

SOURCE: Final = "the-odds-api"
SLEEP: Sleep = asyncio.sleep
_EVERY: Final = re.compile(r"([1-9]\d{0,3})(m|h|d)", re.ASCII)
_UNITS: Final = {"m": MINUTE_MS, "h": 60 * MINUTE_MS, "d": 24 * 60 * MINUTE_MS}
_SHORTEST_MS: Final = 5 * MINUTE_MS
"""The source takes no snapshots closer together."""
_MOST_NAMED: Final = 20
_AGAIN: Final = _(
    "{reason}; run the same command again to continue; stored snapshots are not requested again"
)
_MAYBE_CHARGED: Final = _(
    "the last run ended before an answer came; that request may have been charged, and is repeated"
)
_OLDER: Final = _(
    "prices older than those already stored were skipped: to have both, fetch into a new database"
)
_BETWEEN: Final = _(
    "{count:,} of them are older than others that are stored: markets with newer prices skip them; "
    "to have them all, fetch the whole period into a new database"
)


def _every(_context: click.Context, __: click.Parameter, value: str) -> int:
    found = _EVERY.fullmatch(value)
    every_ms = int(found[1]) * _UNITS[found[2]] if found else 0
    if every_ms < _SHORTEST_MS:
        raise click.BadParameter(
            _("expected at least 5m, such as 30m, 6h or 1d, got {value!r}").format(value=value)
        )
    return every_ms


@click.command()
@click.argument("source", type=click.Choice([SOURCE]))
@click.option("--sport", required=True, metavar="KEY", help=_("Competition, such as soccer_epl."))
@click.option(
    "--from",
    "since",
    callback=moment,
    required=True,
    metavar="TIME",
    help=_("The first snapshot: a date (midnight UTC) or a time with its offset."),
)
@click.option(
    "--to",
    "until",
    callback=moment,
    required=True,
    metavar="TIME",
    help=_("Only snapshots before this time."),
)
@click.option(
    "--every",
    "every_ms",
    callback=_every,
    required=True,
    metavar="TIME",
    help=_("Time between two snapshots: 30m, 6h, 1d; at least 5m."),
)
@click.option("--markets", default="h2h", show_default=True, help=_("Of h2h, spreads and totals."))
@click.option("--regions", default="eu", show_default=True, help=_("Of eu, uk, us, us2 and au."))
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="CREDITS",
    help=_("Most credits that this run may spend."),
)
@click.option("--yes", is_flag=True, help=_("Spend the credits without asking."))
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=_("File with your key, instead of the keyring or ODDSDESK_THE_ODDS_API_KEY."),
)
@click.option(
    "--url", metavar="ADDRESS", help=_("Address of the source, if you reach it through a proxy.")
)
@made_database_option
def backfill(
    source: str,
    sport: str,
    since: int,
    until: int,
    every_ms: int,
    markets: str,
    regions: str,
    budget: int | None,
    yes: bool,
    key_file: Path | None,
    url: str | None,
    database: Database,
) -> None:
    """Fetch a competition's past odds from The Odds API, for credits.

    A snapshot costs 10 credits for each market and region, and nothing if there are no games. The
    command says what all of them cost, and spends nothing before you agree. Prices are recorded
    with the times they had. What is recorded is in the database: run the command again to
    continue where it stopped. Prices older than those already recorded for a market are
    skipped, so fetch the oldest snapshots first, or into a new database. The exit status is 1 if
    it stopped before the end, unless at the budget.

    \b
    Example:
      oddsdesk backfill the-odds-api --sport soccer_epl --from 2026-10-01 --to 2026-10-11
          --every 6h --markets h2h,totals --budget 1000 --database history.db
    """
    check_span(since, until)
    moments = range(since, min(until, system_clock()), every_ms)
    try:
        address = None if url is None else check_url(source, url)
        options = {"markets": _sorted(markets), "regions": _sorted(regions)}
        history = History(LiveSpec(sport, source, (sport,), options, address, None, key_file))
    except FeedError as error:
        raise click.UsageError(translated(str(error))) from error
    durable = not isinstance(database, DatabaseUrl)  # an answer that was paid for is not lost
    with open_recorder(database, durable=durable) as recorder:
        if why := recorder.why_apart(shift_to_now=False):
            raise click.ClickException(
                _("{reason}; give --database with the name of a new one").format(
                    reason=translated(why)
                )
            )
        work = _Work(
            recorder, history, f"history {sport}?{options['markets']}&{options['regions']}"
        )
        code = work.run(moments, budget, is_agreed=yes)
    recorder.echo_skipped()
    sys.exit(code)


def _sorted(words: str) -> str:
    """Return words in one order, since the database remembers requests by them."""
    return ",".join(sorted({word.strip() for word in words.split(",")}))


class _Work:
    """One run, with its cost and what it recorded."""

    def __init__(self, recorder: Recorder, history: History, name: str) -> None:
        self._recorder = recorder
        self._history = history
        self._kept = 0
        self._skipped = Counter[str]()
        self._problems: list[str] = []
        self._progress = Progress(_("quotes recorded"))
        memory = recorder.recall(name)
        self._backfill = Backfill(
            history, memory, partial(recorder.remember, name), self._record, SLEEP
        )

    def run(self, moments: range, budget: int | None, *, is_agreed: bool) -> int:
        """Return the exit status."""
        if self._backfill.was_cut_off:
            click.echo(_MAYBE_CHARGED, err=True)
        missing = self._backfill.missing(moments)
        if not missing:
            click.echo(
                _("all {count:,} snapshots are stored already; nothing was requested").format(
                    count=num(len(moments))
                )
            )
            return 0
        try:
            why = asyncio.run(self._fetch(missing, len(moments), budget, is_agreed=is_agreed))
            code = 0
        except FeedError as error:
            why, code = str(error).replace("key-file=", "--key-file"), 1
        except KeyboardInterrupt:
            why, code = _("interrupted"), 1
        self._print_outcome(why)
        return code

    async def _fetch(
        self, missing: list[int], number: int, budget: int | None, *, is_agreed: bool
    ) -> str:
        try:
            left = await self._history.credits_left()
            click.echo(_cost(len(missing), number, self._history.cost, left, budget))
            if older := self._backfill.before_newest(missing):
                click.echo(_BETWEEN.format(count=num(older)), err=True)
            if not is_agreed:
                _ask()
            return await self._backfill.fetch(missing, budget)
        finally:
            await self._history.close()

    def _record(self, imported: Imported) -> None:
        quotes = sorted(imported.quotes, key=attrgetter("scraped_at"))
        for start in range(0, len(quotes), BATCH_QUOTES):
            batch = quotes[start : start + BATCH_QUOTES]
            self._recorder.record_batch(batch, origin_named(SOURCE))
        self._kept += imported.kept
        self._skipped += imported.skipped
        self._problems += imported.problems
        self._recorder.bad += len(imported.problems)
        self._progress.count_done(len(quotes))

    def _print_outcome(self, why: str) -> None:
        skipped = self._recorder.skipped
        self._progress.clear_line()
        self._kept -= skipped.prices
        self._skipped += older_by_reason(skipped.prices, skipped.prices_there)
        for problem in self._problems[:_MOST_NAMED]:
            click.echo(plain(translated(problem)), err=True)
        if why:
            click.echo(plain(_AGAIN.format(reason=translated(why))), err=True)
        if skipped.prices > skipped.prices_there:
            click.echo(_OLDER, err=True)
        left = self._history.status.now.credits_left
        text = _("snapshots {snapshots:,}, credits {credits:,}, {left:,} left")
        if left is None:
            text = _("snapshots {snapshots:,}, credits {credits:,}")
        counts = {"snapshots": num(self._backfill.snapshots), "credits": num(self._backfill.spent)}
        click.echo(text.format(left=num(left), **counts))
        click.echo(accounts(self._kept, self._skipped))
        click.echo(self._recorder.count_line())


def _cost(missing: int, number: int, cost: int, left: int | None, budget: int | None) -> str:
    """Return what the missing snapshots of a number cost, and whether the credits suffice."""
    total = missing * cost
    text = _("{missing:,} snapshots of {cost:,} credits each: at most {total:,} credits")
    if missing < number:
        text = _(
            "{missing:,} snapshots of {cost:,} credits each, {stored:,} more are stored already: "
            "at most {total:,} credits"
        )
    text = text.format(
        missing=num(missing), cost=num(cost), stored=num(number - missing), total=num(total)
    )
    if budget is not None and budget < total:
        allowed = _(", of which the budget allows {credits:,}")
        text += allowed.format(credits=num(budget // cost * cost))
    if left is None:
        rest = _("the source does not say how many are left")
    elif left >= min(total, total if budget is None else budget):
        rest = _("{credits:,} are left")
    else:
        rest = _("{credits:,} are left, not enough for all")
    return f"{text}; {rest.format(credits=num(left))}"


def _ask() -> None:
    if not sys.stdin.isatty():
        raise click.ClickException(_("nothing was spent; add --yes to spend them"))
    click.confirm(_("Spend them?"), abort=True)
