"""What PostgreSQL says in its own way (``store.queries.sql``), a module for one of that folder.

Its planner finds the indexes of SQLite's hints by itself; a test holds that.
"""

from typing import Final

from oddsdesk.store.postgres.queries import (
    as_of,
    catalogue,
    conditions,
    listing,
    log,
    odds,
    past,
    quotes,
    reader,
    standing,
    valuation,
    value_bets,
)
from oddsdesk.store.queries.sql import Sql

SQL: Final = Sql(
    as_of=as_of.SQL,
    catalogue=catalogue.SQL,
    conditions=conditions.SQL,
    listing=listing.SQL,
    log=log.SQL,
    odds=odds.SQL,
    past=past.SQL,
    quotes=quotes.SQL,
    reader=reader.SQL,
    standing=standing.SQL,
    valuation=valuation.SQL,
    value_bets=value_bets.SQL,
)
