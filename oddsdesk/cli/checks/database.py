"""The state of the two database files, looked at without changing them."""

from collections.abc import Callable
from pathlib import Path

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import format_ms
from oddsdesk.store.access_paths import access_path
from oddsdesk.store.databases import Database, DatabaseUrl, has_file, needing_postgresql
from oddsdesk.store.errors import NotYetError, StoreError
from oddsdesk.store.lock import check_in_place
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.inspection import count_active_keys, count_rows, damage
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.unpriced_reference import misnamed_line, unpriced_line


def odds_file(path: Path, now_ms: int, *, full: bool) -> Section:
    """Tell what the odds file holds and whether it is whole."""

    def look() -> list[Finding]:
        return _contents(path, now_ms, count_rows(path))

    try:
        check_in_place(path)
    except StoreError as error:
        return Section("database", (Finding("odds", str(error), Mark.BROKEN),))
    return Section("database", _of_file("odds", path, ODDS, look, full=full))


def access_file(path: Path, *, full: bool) -> Section:
    """Tell whether the file of accounts and keys is whole; no key is told."""
    access = access_path(path)

    def look() -> list[Finding]:
        return [Finding("keys", f"{count_active_keys(access)} active")]

    return Section("keys", _of_file("keys", access, ACCESS, look, full=full))


def _of_file(
    name: str, path: Path, schema: Schema, look: Callable[[], list[Finding]], *, full: bool
) -> tuple[Finding, ...]:
    """Return what ``look`` finds in a file of this version, and whether it is whole."""
    try:
        if not has_file(path):
            text = f"{path.name} is not there yet; it is made by the first start"
            return (Finding(name, text, Mark.NOTE),)
    except StoreError as error:
        return (Finding(name, str(error), Mark.BROKEN),)
    size = Finding("size", _sizes(path))
    try:
        return (size, *_unless_waiting(name, look), _damage(path, schema, full=full))
    except StoreError as error:
        return size, Finding(name, str(error), Mark.BROKEN)


def _unless_waiting(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """Return what is found; nothing is wrong with a file that waits for the next start."""
    try:
        return look()
    except NotYetError as error:
        return [Finding(name, str(error), Mark.NOTE)]


def postgres_database(database: DatabaseUrl, now_ms: int) -> tuple[Section, Section]:
    """Tell what a database of PostgreSQL holds, and how many keys; no key is told."""
    try:
        with needing_postgresql():
            from oddsdesk.store.postgres.inspection import inspect  # noqa: PLC0415 - an extra
        found = inspect(database.url)
        counts = (found.games, found.quotes)
        findings = (
            Finding("server", f"PostgreSQL {found.server}"),
            Finding("size", f"{found.size / 2**20:,.1f} MiB"),
            *_contents(database, now_ms, counts),
            Finding("check", "pg_amcheck looks for damage", Mark.NOTE),
        )
        keys = Finding("keys", f"{found.active_keys} active")
    except StoreError as error:
        mark = Mark.NOTE if isinstance(error, NotYetError) else Mark.BROKEN
        findings = (Finding("odds", str(error), mark),)
        keys = Finding("keys", "are in the same database", Mark.NOTE)
    return Section("database", findings), Section("keys", (keys,))


def _contents(database: Database, now_ms: int, counts: tuple[int, int]) -> list[Finding]:
    store = open_store(database, read_only=True)
    try:
        reader = store.reader()
        last = reader.last_scraped_at()
        simulated, shifted = reader.is_simulated(now_ms), reader.is_shifted(now_ms)
        keep_days = reader.keep_days()
        reference = _reference(store)
    finally:
        store.close()
    newest = Finding("last scrape", "none" if last is None else format_ms(last))
    if last is not None and last > now_ms + CLOCK_TOLERANCE_MS:
        text = (
            f"{format_ms(last)}, which is ahead of this machine's clock: set the clock if it is"
            " wrong; else nothing is to be done, prices are shown once they are seen again"
        )
        newest = Finding("last scrape", text, Mark.BROKEN)
    odds = Finding("odds", "{:,} games, {:,} quotes".format(*counts))
    if last is None:
        text = f"{odds.text}: answers are empty until some are ingested or imported, or a feed runs"
        odds = Finding("odds", text, Mark.NOTE)
    return [
        odds,
        reference,
        Finding("history", f"kept for {keep_days:,} days" if keep_days else "all of it is kept"),
        Finding("simulated", "yes" if simulated else "no"),
        Finding("moved to now", "yes: old odds are shown as if offered now" if shifted else "no"),
        newest,
    ]


def _reference(store: Store) -> Finding:
    """Name whom prices are judged by; where nothing is, for want of its prices, that is said."""
    reader = store.reader()
    name = reader.unpriced_reference()
    if (misnamed := misnamed_line(reader)) is not None:
        return Finding("reference", misnamed, Mark.BROKEN)
    if name is not None:
        return Finding("reference", unpriced_line(name, ()), Mark.NOTE)
    return Finding("reference", store.reference)


def _damage(path: Path, schema: Schema, *, full: bool) -> Finding:
    found = damage(path, schema, full=full)
    how = "all of it was read" if full else "quick, bounded; --full reads all"
    if not found:
        return Finding("check", f"no damage ({how})")
    return Finding("check", f"damaged: {found[0]} ({len(found)} in all)", Mark.BROKEN)


def _sizes(path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")
    beside = f", {log.stat().st_size / 2**20:,.1f} MiB write-ahead log" if log.exists() else ""
    return f"{path.stat().st_size / 2**20:,.1f} MiB{beside}"
