"""What SQLite says in its own way (``store.queries.sql``), one module for one of ``store.queries``.

``INDEXED BY`` and ``CROSS JOIN`` hold the plans: a file has no statistics of its tables.
"""

from typing import Final

from oddsdesk.store.queries.sql import Sql
from oddsdesk.store.sqlite.queries import (
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
