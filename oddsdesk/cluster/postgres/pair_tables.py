"""The tables of PostgreSQL for decisions about pairs of games."""

import json
from collections.abc import Mapping
from typing import ClassVar, Final

from oddsdesk.cluster.postgres.tables import PostgresTables
from oddsdesk.store.sqlite import pair_tables as file
from oddsdesk.store.tables import LogEnd

_SEQ_BITS: Final = 48
"""A log row as one number: its ``seq``, with its shard above."""
_DROP_LOG: Final = """
DELETE FROM price_change
WHERE game = %s AND seq > coalesce((%s::jsonb ->> shard::text)::bigint, 0)
"""


class PostgresPairTables(PostgresTables, file.PairTables):
    """The same as for a file, except for texts of PostgreSQL."""

    texts: ClassVar[Mapping[str, str]] = {
        **PostgresTables.texts,
        file.SUGGEST: """
INSERT INTO game_pair (competition, kept, kept_name, other, other_name, crosswise, state)
SELECT *, 'suggested' FROM unnest(
    %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::boolean[]
) ON CONFLICT (kept, other) DO NOTHING
""",
        file.DROP_SUGGESTION: """
DELETE FROM game_pair WHERE id = ANY(%s::bigint[]) AND state = 'suggested'
""",
        file.BOOKMAKERS: """
SELECT DISTINCT game_id, bookmaker FROM game JOIN coverage ON coverage.game = game.id
WHERE game_id = ANY(%s) ORDER BY bookmaker
""",
        file.SOURCES: """
SELECT DISTINCT game_id, split_part(event, ':', 1) AS source
FROM game JOIN event ON event.game = game.id WHERE game_id = ANY(%s) ORDER BY source
""",
        file.SAY_SAME: """
INSERT INTO same_team (pair, competition, one, other)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])
""",
        file.NAMES_OF: """
SELECT game.id, game.competition, game.match_name, other.competition, other.match_name
FROM game JOIN other_name other ON other.game = game.id
WHERE game.competition = ANY(%s) ORDER BY game.id, other.competition, other.plain_name
""",
        file.SEAL: "UPDATE said SET repeats = false WHERE game = %s",
        file.LOG: f"""
SELECT (shard::bigint << {_SEQ_BITS}) | seq, market_type, selection
FROM price_change WHERE game = %s ORDER BY shard, seq
""",  # noqa: S608 - a constant
        file.MOVE_LOG: f"""
UPDATE price_change SET game = moved.game, selection = moved.selection
FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) moved (game, selection, number)
WHERE shard = (number >> {_SEQ_BITS})::integer AND seq = number & ((1::bigint << {_SEQ_BITS}) - 1)
""",  # noqa: S608 - a constant
    }

    def drop_log(self, game: int, since: LogEnd) -> None:
        ends = since if isinstance(since, Mapping) else {"0": since}
        self._connection.execute(_DROP_LOG, (game, json.dumps(ends)))
