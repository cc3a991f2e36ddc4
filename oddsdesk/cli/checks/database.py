"""The state of the two database files, looked at without changing them."""

from pathlib import Path
from typing import Final

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.access_paths import access_path
from oddsdesk.store.databases import Database, DatabaseUrl, needing_postgresql
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.inspection import count_active_keys, count_rows, damage
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store

MOST_AHEAD_MS: Final = 5 * MINUTE_MS
"""A scrape further ahead than that: the clock was wrong, then or now (D42)."""


def odds_file(path: Path, now_ms: int, *, full: bool) -> Section:
    """Tell what the odds file holds and whether it is whole."""
    title = "database"
    if not path.exists():
        text = f"{path.name} is not there yet; it is made by the first start"
        return Section(title, (Finding("odds", text, Mark.NOTE),))
    try:
        findings = [*_contents(path, now_ms, count_rows(path)), _damage(path, ODDS, full=full)]
    except StoreError as error:
        findings = [Finding("odds", str(error), Mark.BROKEN)]
    return Section(title, (Finding("size", _sizes(path)), *findings))


def access_file(path: Path, *, full: bool) -> Section:
    """Tell whether the file of accounts and keys is whole; no key is told."""
    title = "keys"
    access = access_path(path)
    if not access.exists():
        text = f"{access.name} is not there yet; it is made by the first start"
        return Section(title, (Finding("keys", text, Mark.NOTE),))
    try:
        findings = [
            Finding("keys", f"{count_active_keys(access)} active"),
            _damage(access, ACCESS, full=full),
        ]
    except StoreError as error:
        findings = [Finding("keys", str(error), Mark.BROKEN)]
    return Section(title, (Finding("size", _sizes(access)), *findings))


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
        findings = (Finding("odds", str(error), Mark.BROKEN),)
        keys = Finding("keys", "are in the same database", Mark.NOTE)
    return Section("database", findings), Section("keys", (keys,))


def _contents(database: Database, now_ms: int, counts: tuple[int, int]) -> list[Finding]:
    store = open_store(database, read_only=True)
    try:
        reader = store.reader()
        last = reader.last_scraped_at()
        simulated = reader.is_simulated(now_ms)
        keep_days = reader.keep_days()
    finally:
        store.close()
    newest = Finding("last scrape", "none" if last is None else format_ms(last))
    if last is not None and last > now_ms + MOST_AHEAD_MS:
        text = f"{format_ms(last)}, which is ahead of this machine's clock"
        newest = Finding("last scrape", text, Mark.BROKEN)
    return [
        Finding("odds", "{:,} games, {:,} quotes".format(*counts)),
        Finding("reference", store.reference),
        Finding("history", f"kept for {keep_days:,} days" if keep_days else "all of it is kept"),
        Finding("simulated", "yes" if simulated else "no"),
        newest,
    ]


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
