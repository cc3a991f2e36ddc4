"""Parts of conditions."""

from typing import Final

from oddsdesk.store.queries.sql import ConditionsSql

SQL: Final = ConditionsSql(is_one_of="= ANY(:{})")
