"""The tables of the odds file: current prices, the log of price changes, value bets.

Times are milliseconds. Rows hold names as text: the keys are then in the order of the answers (D13,
D35) and no read joins for a name.

The public views have ISO-8601 times. A step that changes a table of a view must drop and make the
view again.
"""

from typing import Final

from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.pricing.closing import MOST_AGE_MS
from oddsdesk.store.games import NO_DATE, SPORTS_BY_CODE
from oddsdesk.store.sqlite.data_migrations import join_spellings, part_fused_games
from oddsdesk.store.sqlite.migrations import Schema, Step


def _time(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column} / 1000.0, 'unixepoch')"


_GAME_COLUMNS: Final = f"""
g.game_id, g.match_name, g.competition, g.sport, {_time("g.match_date")} AS match_date
"""
_MOVE: Final = "c.bookmaker, c.market_type, c.period, c.selection"

VIEWS: Final = (
    f"""
    CREATE VIEW games AS
    SELECT {_GAME_COLUMNS},
        (SELECT count(DISTINCT bookmaker) FROM coverage WHERE game = g.id) AS bookmakers,
        {_time("nullif(g.last_scraped_at, 0)")} AS last_scraped_at
    FROM game g
    """,
    f"""
    CREATE VIEW current_prices AS
    SELECT {_GAME_COLUMNS}, q.bookmaker, q.market_type, q.period, price.key AS selection,
        price.value AS odds, q.is_live, {_time("q.scraped_at")} AS scraped_at, q.liquidity, q.url
    FROM quote q JOIN game g ON g.id = q.game JOIN json_each(q.odds) price
    WHERE q.odds IS NOT NULL
    """,
    f"""
    CREATE VIEW price_changes AS
    SELECT c.seq, {_time("c.recorded_at")} AS recorded_at, {_time("c.scraped_at")} AS scraped_at,
        {_GAME_COLUMNS}, {_MOVE}, c.odds, c.is_live, c.liquidity
    FROM price_change c JOIN game g ON g.id = c.game
    """,
    f"""
    CREATE VIEW selection_history AS
    SELECT {_GAME_COLUMNS}, {_MOVE}, c.odds, lag(c.odds) OVER path AS previous_odds, c.is_live,
        {_time("c.scraped_at")} AS since, {_time("lead(c.scraped_at) OVER path")} AS until
    FROM price_change c JOIN game g ON g.id = c.game
    WINDOW path AS (
        PARTITION BY g.game_id, c.selection, c.market_type, c.period, c.bookmaker
        ORDER BY c.scraped_at, c.seq
    )
    """,
)


def _closing_lines(seen_at: str, sightings: str = "") -> tuple[str, ...]:
    """Return how the view is made, given when a market was last seen before the kick-off."""
    return (
        "DROP VIEW IF EXISTS closing_lines",
        f"""
        CREATE VIEW closing_lines AS
        SELECT game_id, match_name, competition, sport, match_date, bookmaker, market_type, period,
            selection, odds, scraped_at
        FROM (
            SELECT {_GAME_COLUMNS}, {_MOVE}, c.odds, {_time("c.scraped_at")} AS scraped_at,
                row_number() OVER (
                    PARTITION BY g.game_id, c.selection, c.market_type, c.period, c.bookmaker
                    ORDER BY c.scraped_at DESC, c.seq DESC
                ) AS place
            FROM price_change c JOIN game g ON g.id = c.game
            JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
                AND q.market_type = c.market_type AND q.period = c.period
            {sightings}
            WHERE NOT c.is_live AND c.scraped_at <= g.match_date
                AND {seen_at} >= g.match_date - {MOST_AGE_MS}
        ) last
        WHERE place = 1 AND odds IS NOT NULL
        """,
    )


CLOSING_LINES_THAT_STOOD: Final = _closing_lines("q.scraped_at")
CLOSING_LINES: Final = _closing_lines(
    """coalesce(
                    CASE WHEN q.is_live OR q.scraped_at > g.match_date THEN s.scraped_at END,
                    q.scraped_at
                )""",
    """LEFT JOIN closing_sighting s ON s.game = c.game AND s.bookmaker = c.bookmaker
                AND s.market_type = c.market_type AND s.period = c.period""",
)


_GAME = f"""
CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    game_id TEXT NOT NULL UNIQUE,
    competition TEXT NOT NULL,
    sport TEXT NOT NULL,
    match_name TEXT NOT NULL,
    match_date INTEGER,
    match_date_by TEXT,             -- the bookmaker that match_date comes from
    match_date_scraped_at INTEGER,
    kickoff INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(match_date, {NO_DATE})) VIRTUAL,
    has_live INTEGER NOT NULL DEFAULT 0,         -- a price in play is stored, of whatever age
    last_scraped_at INTEGER NOT NULL DEFAULT 0   -- of all that are priced, 0 without any
)
"""

_QUOTE = """
CREATE TABLE quote (                -- present state; odds NULL: withdrawn, kept for its scraped_at
    game INTEGER NOT NULL REFERENCES game (id),
    bookmaker TEXT NOT NULL,
    market_type TEXT NOT NULL,
    period INTEGER NOT NULL,
    is_live INTEGER NOT NULL,
    scraped_at INTEGER NOT NULL,
    selections INTEGER NOT NULL,    -- how many odds holds
    odds TEXT,                      -- JSON, selection to decimal odds, in the order of D7
    liquidity REAL,
    url TEXT,
    PRIMARY KEY (game, bookmaker, market_type, period)
) WITHOUT ROWID
"""

_COVERAGE = """
CREATE TABLE coverage (             -- what a bookmaker prices of a game, summed over its quotes
    game INTEGER NOT NULL REFERENCES game (id),
    bookmaker TEXT NOT NULL,
    is_live INTEGER NOT NULL,
    newest INTEGER NOT NULL,        -- scraped_at
    oldest INTEGER NOT NULL,
    selections INTEGER NOT NULL,
    PRIMARY KEY (game, bookmaker, is_live)
) WITHOUT ROWID
"""

_PRICE_CHANGE = """
CREATE TABLE price_change (         -- the log; odds NULL: withdrawn
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    game INTEGER NOT NULL REFERENCES game (id),
    bookmaker TEXT NOT NULL,
    market_type TEXT NOT NULL,
    period INTEGER NOT NULL,
    selection TEXT NOT NULL,
    odds REAL,
    is_live INTEGER NOT NULL,
    scraped_at INTEGER NOT NULL,
    liquidity REAL,
    recorded_at INTEGER NOT NULL
)
"""

_VALUE_BET = """
CREATE TABLE value_bet (            -- what the rules found; judged again when read
    game INTEGER NOT NULL REFERENCES game (id),
    bookmaker TEXT NOT NULL,
    market_type TEXT NOT NULL,
    period INTEGER NOT NULL,
    selection TEXT NOT NULL,
    odds REAL NOT NULL,
    reference_odds REAL NOT NULL,
    fair_odds REAL NOT NULL,
    ev_pct REAL NOT NULL,
    payout_rate REAL NOT NULL,
    detected_at INTEGER NOT NULL,
    PRIMARY KEY (game, market_type, period, bookmaker, selection)
) WITHOUT ROWID
"""

_SOURCE = """
CREATE TABLE source (               -- which bookmaker prices what at all: a few hundred rows
    bookmaker TEXT NOT NULL,
    market_type TEXT NOT NULL,
    newest INTEGER NOT NULL,        -- scraped_at; not lowered when prices are withdrawn
    PRIMARY KEY (bookmaker, market_type)
) WITHOUT ROWID
"""

_RECORDED = """
CREATE TABLE recorded (             -- when prices came in at all, moved or not; rows do not overlap
    since INTEGER PRIMARY KEY,
    until INTEGER NOT NULL
)
"""

_OTHER_NAMES = (
    # Other names of a game, and whether they swap its teams.
    """
    CREATE TABLE other_name (
        competition TEXT NOT NULL,
        plain_name TEXT NOT NULL,
        game INTEGER NOT NULL REFERENCES game (id),
        match_name TEXT NOT NULL,
        crosswise INTEGER NOT NULL,
        PRIMARY KEY (competition, plain_name, game)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX other_name_game ON other_name (game)",
    # Games that may be the same, and the user's decision: suggested, accepted or refused.
    """
    CREATE TABLE game_pair (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        competition TEXT NOT NULL,
        kept TEXT NOT NULL,             -- game_id
        kept_name TEXT NOT NULL,
        other TEXT NOT NULL,
        other_name TEXT NOT NULL,
        crosswise INTEGER NOT NULL,
        state TEXT NOT NULL,
        decided_at INTEGER,
        before BLOB,                    -- of an accepted pair: both games as they were, JSON
        UNIQUE (kept, other)
    )
    """,
    # Later quotes of an accepted pair's game, to be recorded again after an undo.
    """
    CREATE TABLE said_since (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        pair INTEGER NOT NULL REFERENCES game_pair (id),
        quote BLOB NOT NULL             -- JSON
    )
    """,
    "CREATE INDEX game_pair_accepted ON game_pair (kept) WHERE state = 'accepted'",
    "CREATE INDEX said_since_pair ON said_since (pair)",
    # Names of one team, from accepted pairs.
    """
    CREATE TABLE same_team (
        pair INTEGER NOT NULL REFERENCES game_pair (id),
        competition TEXT NOT NULL,
        one TEXT NOT NULL,
        other TEXT NOT NULL
    )
    """,
    "CREATE INDEX game_kick_off ON game (competition, kickoff)",
)

_IN_ORDER = "kickoff, match_name, competition"
_GAMES_BY_KICK_OFF = (
    # The common name of games that differ only in their kick-offs (store.games).
    "ALTER TABLE game ADD COLUMN plain_name TEXT NOT NULL DEFAULT ''",
    # For lists of the past.
    f"ALTER TABLE game ADD COLUMN first_scraped_at INTEGER NOT NULL DEFAULT {NO_DATE}",
    # Whether lists of fresh prices may contain it; archives stay out of their indexes.
    "ALTER TABLE game ADD COLUMN recent INTEGER NOT NULL DEFAULT 0",
    *(f"DROP INDEX game_{name}" for name in ("order", "sport", "competition", "live")),
    f"CREATE INDEX game_order ON game ({_IN_ORDER}) WHERE recent",
    f"CREATE INDEX game_sport ON game (sport, {_IN_ORDER}) WHERE recent",
    "CREATE INDEX game_competition ON game (competition, kickoff, match_name) WHERE recent",
    f"CREATE INDEX game_live ON game ({_IN_ORDER}) WHERE recent AND has_live",
    "CREATE INDEX game_plain ON game (competition, plain_name, kickoff)",
    f"CREATE INDEX game_past ON game ({_IN_ORDER}, first_scraped_at)",
)

_ORIGINS = (
    # The source of a bookmaker's prices of a game, and whether its terms allow passing on.
    """
    CREATE TABLE origin (
        game INTEGER NOT NULL REFERENCES game (id),
        bookmaker TEXT NOT NULL,
        source TEXT NOT NULL,
        may_share INTEGER NOT NULL,
        PRIMARY KEY (game, bookmaker, source)
    ) WITHOUT ROWID
    """,
    # It was not recorded before: games with an id of this source count as its own.
    """
    INSERT OR IGNORE INTO origin SELECT event.game, quote.bookmaker, 'the-odds-api', 0
    FROM event JOIN quote ON quote.game = event.game WHERE event.event LIKE 'the-odds-api:%'
    """,
)

_EVENT = """
CREATE TABLE event (                -- what sources call games by ids of their own
    event TEXT PRIMARY KEY,         -- SOURCE:ID
    game INTEGER NOT NULL REFERENCES game (id)
) WITHOUT ROWID
"""

_SAID: Final = (
    # Quotes of games joined by the user, as they came, to be recorded again without the pair.
    """
    CREATE TABLE said (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        game INTEGER NOT NULL,          -- the row of the one game; it may be part of another by now
        match_name TEXT NOT NULL,
        bookmaker TEXT NOT NULL,
        market_type TEXT NOT NULL,
        period INTEGER NOT NULL,
        repeats INTEGER NOT NULL,       -- what the one before it said, later; the next replaces it
        source TEXT,
        may_share INTEGER,
        quote BLOB NOT NULL             -- JSON
    )
    """,
    "CREATE INDEX said_last ON said (game, match_name, bookmaker, market_type, period)",
    """
    INSERT INTO said (game, match_name, bookmaker, market_type, period, repeats, quote)
    SELECT game.id, json_extract(CAST(quote AS TEXT), '$.match_name'),
        json_extract(CAST(quote AS TEXT), '$.bookmaker'),
        json_extract(CAST(quote AS TEXT), '$.market_type'),
        json_extract(CAST(quote AS TEXT), '$.period'), 0, quote
    FROM said_since CROSS JOIN game_pair pair ON pair.id = said_since.pair
    CROSS JOIN game ON game.game_id = pair.kept ORDER BY said_since.id
    """,
    "DROP TABLE said_since",
    # Games with names that belong to their teams only by the user's word, as they were before.
    """
    CREATE TABLE joined_game (
        game INTEGER PRIMARY KEY,
        before BLOB NOT NULL,           -- JSON
        decided_at INTEGER NOT NULL     -- of the pair that was decided last by then
    )
    """,
)

_RESULT = """
CREATE TABLE result (               -- how games ended; found by name, since games may be merged
    competition TEXT NOT NULL,
    plain_name TEXT NOT NULL,
    kick_off INTEGER NOT NULL,
    home INTEGER NOT NULL,          -- goals
    away INTEGER NOT NULL,
    half_home INTEGER,
    half_away INTEGER,
    PRIMARY KEY (competition, plain_name, kick_off)
) WITHOUT ROWID
"""

_RESULT_BY_SOURCE = (
    "ALTER TABLE result RENAME TO final_score",
    """
    CREATE TABLE result (               -- how games ended, as each source says
        competition TEXT NOT NULL,
        plain_name TEXT NOT NULL,       -- found by name, since games may be merged
        kick_off INTEGER NOT NULL,
        source TEXT NOT NULL,
        bookmaker TEXT NOT NULL,        -- whose selections these are, if any
        match_name TEXT NOT NULL,
        sport TEXT NOT NULL,
        has_time INTEGER NOT NULL,      -- 0: kick_off is noon of its day
        status TEXT NOT NULL,
        home INTEGER,
        away INTEGER,
        periods TEXT NOT NULL,          -- JSON, as contract.results has it
        overtime INTEGER,
        selections TEXT NOT NULL,       -- JSON
        simulated INTEGER NOT NULL,
        may_share INTEGER NOT NULL,     -- whether the source's terms allow passing on
        reported_at INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        before TEXT NOT NULL,           -- JSON: what the source took back, the oldest first
        PRIMARY KEY (competition, plain_name, kick_off, source, bookmaker)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX result_order ON result (kick_off, competition, plain_name, source, bookmaker)",
    "CREATE INDEX result_competition ON result"
    " (competition, kick_off, plain_name, source, bookmaker)",
    # Only football-data had results until then, and they lacked the name as written.
    f"""
    INSERT INTO result
    SELECT competition, plain_name, kick_off, 'football-data', '', coalesce((
            SELECT match_name FROM (
                SELECT match_name, abs(kickoff - ended.kick_off) AS apart FROM game
                WHERE game.competition = ended.competition AND game.plain_name = ended.plain_name
            ) near WHERE apart <= {SAME_GAME_MS} ORDER BY apart LIMIT 1
        ), plain_name), 'Football', 1, 'final', home, away,
        CASE WHEN half_home IS NULL OR half_away IS NULL THEN '[]' ELSE json_array(
            json_array(1, half_home, half_away),
            json_array(2, home - half_home, away - half_away)
        ) END, NULL, '[]', 0, 1, 0, 0, '[]'
    FROM final_score ended
    """,
    "DROP TABLE final_score",
    f"""
    CREATE VIEW results AS
    SELECT match_name, competition, sport, {_time("kick_off")} AS kick_off, has_time, status, home,
        away, periods, overtime, selections, bookmaker, source, simulated,
        {_time("nullif(reported_at, 0)")} AS reported_at,
        {_time("nullif(recorded_at, 0)")} AS recorded_at, before
    FROM result
    """,
)

_GAME_SERIES = (
    """
    CREATE TABLE game_series (          -- statistics of many bookmakers, as each source says
        kick_off INTEGER NOT NULL,
        competition TEXT NOT NULL,
        plain_name TEXT NOT NULL,       -- found by name, since games may be merged
        source TEXT NOT NULL,
        match_name TEXT NOT NULL,
        sport TEXT NOT NULL,
        has_time INTEGER NOT NULL,      -- 0: kick_off is noon of its day
        points TEXT NOT NULL,           -- JSON, as contract.series has it
        recorded_at INTEGER NOT NULL,
        PRIMARY KEY (kick_off, competition, plain_name, source)
    ) WITHOUT ROWID
    """,
    f"""
    CREATE VIEW series AS
    SELECT s.match_name, s.competition, s.sport, {_time("s.kick_off")} AS kick_off, s.has_time,
        s.source, json_extract(point.value, '$[0]') AS market_type,
        json_extract(point.value, '$[1]') AS period, json_extract(point.value, '$[2]') AS kind,
        json_extract(point.value, '$[3]') AS closing, price.key AS selection, price.value AS odds,
        {_time("json_extract(point.value, '$[4]')")} AS scraped_at,
        {_time("s.recorded_at")} AS recorded_at
    FROM game_series s JOIN json_each(s.points) point
    JOIN json_each(point.value, '$[5]') price
    """,
)

_CLOSING_SIGHTING = """
CREATE TABLE closing_sighting (     -- when prices were seen last before they went or play began
    game INTEGER NOT NULL REFERENCES game (id),
    bookmaker TEXT NOT NULL,
    market_type TEXT NOT NULL,
    period INTEGER NOT NULL,
    scraped_at INTEGER NOT NULL,
    PRIMARY KEY (game, bookmaker, market_type, period)
) WITHOUT ROWID
"""

ODDS: Final = Schema(
    "odds",
    (
        Step(
            "present_state_and_log",
            (
                _GAME,
                "CREATE UNIQUE INDEX game_order ON game (kickoff, match_name, competition)",
                "CREATE UNIQUE INDEX game_sport ON game (sport, kickoff, match_name, competition)",
                "CREATE UNIQUE INDEX game_competition ON game (competition, kickoff, match_name)",
                "CREATE UNIQUE INDEX game_live ON game (kickoff, match_name, competition)"
                " WHERE has_live",
                "CREATE INDEX game_name ON game (match_name)",
                _QUOTE,
                "CREATE INDEX quote_market ON quote (game, market_type, period)",
                _COVERAGE,
                _PRICE_CHANGE,
                "CREATE INDEX price_change_selection ON price_change (game, selection)",
                _VALUE_BET,
                "CREATE INDEX value_bet_edge ON value_bet (ev_pct)",
                "CREATE TABLE setting (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
            ),
        ),
        Step("coverage_by_bookmaker", ("CREATE INDEX coverage_bookmaker ON coverage (bookmaker)",)),
        Step(
            "value_bet_line_and_sources",
            (
                "ALTER TABLE value_bet ADD COLUMN line TEXT NOT NULL DEFAULT '{\"\": 0}'",
                _SOURCE,
                "INSERT INTO source SELECT bookmaker, market_type, max(scraped_at)"
                " FROM quote WHERE selections > 0 GROUP BY bookmaker, market_type",
                "DROP INDEX coverage_bookmaker",
            ),
        ),
        Step(
            "when_recorded",
            (
                _RECORDED,
                "INSERT INTO recorded SELECT min(recorded_at), max(recorded_at)"
                " FROM price_change GROUP BY recorded_at / 60000",
            ),
        ),
        Step("games_by_kick_off", _GAMES_BY_KICK_OFF, part_fused_games),
        Step("events", (_EVENT, "CREATE INDEX event_game ON event (game)")),
        Step("other_names", _OTHER_NAMES),
        Step("games_by_other_name", ("CREATE INDEX other_name_match ON other_name (match_name)",)),
        Step("offers", ("ALTER TABLE quote ADD COLUMN offers TEXT",)),  # JSON by selection
        Step("origins", _ORIGINS),
        Step("one_name_a_bookmaker", (), join_spellings),
        Step(
            "ids_of_merged_games",
            ("CREATE INDEX game_pair_other ON game_pair (other) WHERE state = 'accepted'",),
        ),
        Step("said_of_joined_games", _SAID),
        # Moves between two moments, for reading the past.
        Step(
            "moves_by_time", ("CREATE INDEX price_change_time ON price_change (game, scraped_at)",)
        ),
        Step("views", VIEWS),
        Step("results", (_RESULT,)),
        # The last move of each price up to a moment, however often it moved.
        Step(
            "moves_by_price",
            (
                "DROP INDEX price_change_selection",
                "CREATE INDEX price_change_selection ON price_change"
                " (game, selection, market_type, period, bookmaker, scraped_at)",
            ),
        ),
        # Older files have a view of that name that treated prices no longer offered as closing
        # ones.
        Step("closing_lines_that_stood", CLOSING_LINES_THAT_STOOD),
        # Later sightings replace the last pre-match one, which a close depends on.
        Step("closing_sightings", (_CLOSING_SIGHTING, *CLOSING_LINES)),
        Step("sports_by_code", (SPORTS_BY_CODE,)),
        Step("results_by_source", _RESULT_BY_SOURCE),
        Step("game_series", _GAME_SERIES),
    ),
)
