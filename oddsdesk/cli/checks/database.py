"""The state of the two database files, looked at without changing them."""

from pathlib import Path
from typing import Final

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.access_paths import access_path
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
        findings = [*_contents(path, now_ms), _damage(path, ODDS, full=full)]
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


def _contents(path: Path, now_ms: int) -> list[Finding]:
    store = open_store(path, read_only=True)
    try:
        reader = store.reader()
        last = reader.last_scraped_at()
        simulated = reader.is_simulated(now_ms)
        keep_days = reader.keep_days()
        games, quotes = count_rows(path)
    finally:
        store.close()
    newest = Finding("last scrape", "none" if last is None else format_ms(last))
    if last is not None and last > now_ms + MOST_AHEAD_MS:
        text = f"{format_ms(last)}, which is ahead of this machine's clock"
        newest = Finding("last scrape", text, Mark.BROKEN)
    return [
        Finding("odds", f"{games:,} games, {quotes:,} quotes"),
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
