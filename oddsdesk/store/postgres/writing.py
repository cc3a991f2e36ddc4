"""What nearly every recording writes to PostgreSQL, in one statement."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from oddsdesk.store.postgres.bulk import array, lines
from oddsdesk.store.postgres.prepared import PreparingConnection

Rows = Collection[tuple[Any, ...]]
COPIED: Final = 100
"""So many rows of a table go by COPY, which costs two round trips and less for each row."""

_LOG_COLUMNS: Final = """
shard, seq, game, bookmaker, market_type, period, selection, odds, is_live, scraped_at, liquidity,
    recorded_at
"""
_QUOTE_COLUMNS: Final = """
game, bookmaker, market_type, period, is_live, scraped_at, selections, odds, liquidity, url, offers
"""
_COPY_LOG: Final = f"COPY price_change ({_LOG_COLUMNS}) FROM STDIN"
_COPY_QUOTES: Final = f"COPY quote ({_QUOTE_COLUMNS}) FROM STDIN"
_WRITE: Final = f"""
WITH counted AS (
    UPDATE shard SET seq = counted.seq
    FROM unnest($1::bigint[], $2::integer[]) counted (seq, shard)
    WHERE shard.shard = counted.shard
), logged AS (
    INSERT INTO price_change ({_LOG_COLUMNS}) SELECT * FROM unnest(
        $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
        $9::text[], $10::double precision[], $11::boolean[], $12::bigint[],
        $13::double precision[], $14::bigint[])
), new AS (
    INSERT INTO quote ({_QUOTE_COLUMNS}) SELECT * FROM unnest(
        $15::bigint[], $16::text[], $17::text[], $18::bigint[], $19::boolean[], $20::bigint[],
        $21::integer[], $22::text[], $23::double precision[], $24::text[], $25::text[])
), again AS (
    UPDATE quote SET is_live = said.is_live, scraped_at = said.scraped_at,
        selections = said.selections, odds = said.odds, liquidity = said.liquidity,
        url = said.url, offers = said.offers
    FROM unnest($26::tid[], $27::boolean[], $28::bigint[], $29::integer[], $30::text[],
        $31::double precision[], $32::text[], $33::text[])
        said (place, is_live, scraped_at, selections, odds, liquidity, url, offers)
    WHERE quote.ctid = said.place RETURNING 1
), same AS (
    UPDATE quote SET scraped_at = said.scraped_at
    FROM unnest($34::tid[], $35::bigint[]) said (place, scraped_at)
    WHERE quote.ctid = said.place RETURNING 1
), told_by AS (
    INSERT INTO origin (game, bookmaker, source, may_share)
    SELECT * FROM unnest($36::bigint[], $37::text[], $38::text[], $39::boolean[])
    ON CONFLICT DO NOTHING
), covered AS (
    INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
    SELECT * FROM unnest(
        $40::bigint[], $41::text[], $42::boolean[], $43::bigint[], $44::bigint[], $45::integer[])
    ON CONFLICT (game, bookmaker, is_live) DO UPDATE SET
        newest = excluded.newest, oldest = excluded.oldest, selections = excluded.selections
), raised AS (
    UPDATE game SET last_scraped_at = greatest(last_scraped_at, seen.newest),
        has_live = has_live OR seen.is_live, recent = game.recent OR seen.recent
    FROM unnest($46::bigint[], $47::boolean[], $48::bigint[], $49::boolean[])
        seen (newest, is_live, game, recent)
    WHERE id = seen.game AND (last_scraped_at < seen.newest
        OR seen.is_live AND NOT has_live OR seen.recent AND NOT game.recent)
), sources AS (
    INSERT INTO source (bookmaker, market_type, newest)
    SELECT * FROM unnest($50::text[], $51::text[], $52::bigint[])
    ON CONFLICT (bookmaker, market_type) DO UPDATE
        SET newest = greatest(source.newest, excluded.newest)
), put AS (
    INSERT INTO setting (key, value) SELECT * FROM unnest($53::text[], $54::text[])
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
), recorded AS (
    INSERT INTO recorded (since, until) SELECT * FROM unnest($55::bigint[], $56::bigint[])
    ON CONFLICT (since) DO UPDATE SET until = excluded.until
)
SELECT (SELECT count(*) FROM again) + (SELECT count(*) FROM same)
"""  # noqa: S608 - constants
"""All that most recordings write, in one round trip: of a few rows each is a small part of that.
Prices that are seen again are found by where they lie: while its shard is taken, nobody else
moves a row."""


class Written(NamedTuple):
    """Rows by what becomes of them, their values in the order of the statement."""

    counted: Rows
    """The last number of a shard's log, and the shard."""
    log: Rows
    new: Rows
    """Prices of which there was none."""
    again: Rows
    """The others: where each lies, and all but its key."""
    same: Rows
    """Those of which nothing but ``scraped_at`` is another: where each lies, and that."""
    origins: Rows
    coverage: Rows
    seen: Rows
    """Newest price, whether one is in play, game, whether lists of fresh prices may hold it."""
    sources: Rows
    settings: Rows
    recorded: Rows


_WIDTHS: Final = (2, 12, 11, 8, 2, 4, 6, 4, 3, 2, 2)
"""How many values the rows of each have."""


def write(connection: PreparingConnection, written: Written) -> bool:
    """Write rows; return whether every price that is there again lay where it was read."""
    if len(written.log) >= COPIED:
        _copy(connection, _COPY_LOG, written.log)
        written = written._replace(log=())
    if len(written.new) >= COPIED:
        _copy(connection, _COPY_QUOTES, written.new)
        written = written._replace(new=())
    values = [
        value
        for rows, width in zip(written, _WIDTHS, strict=True)
        for value in columns(rows, width)
    ]
    (((moved,),),) = connection.ask((_WRITE, values))
    return bool(moved == len(written.again) + len(written.same))


def columns(rows: Rows, width: int = 0) -> Sequence[str]:
    """Return rows as arrays, one a column: as many as ``width`` where there is no row."""
    return [array(column) for column in zip(*rows, strict=True)] or ["{}"] * width


def _copy(connection: PreparingConnection, statement: str, rows: Rows) -> None:
    with connection.cursor().copy(statement) as copy:
        copy.write(lines(zip(*rows, strict=True)))
