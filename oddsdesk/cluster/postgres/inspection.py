"""Inspecting a PostgreSQL database: its server, and its number of rows."""

from contextlib import closing
from typing import Final

import msgspec

from oddsdesk.cluster.postgres.connections import ServerAddress
from oddsdesk.cluster.postgres.schema import check_current

_COUNTS: Final = """
SELECT (SELECT count(*) FROM game), (SELECT count(*) FROM quote),
    (SELECT count(*) FROM api_key WHERE revoked_at IS NULL),
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
"""
_VERSION: Final = "SHOW server_version"


class Inspected(msgspec.Struct, frozen=True):
    """The contents of a database, and its server."""

    server: str
    games: int
    quotes: int
    active_keys: int
    size: int
    """Bytes of the tables with their indexes."""


def inspect(url: str) -> Inspected:
    """Inspect a database.

    Raises:
        StoreError: it cannot be reached, or is not one of ours.
    """
    address = ServerAddress(url)
    with closing(address.connect()) as connection, address.refusals():
        check_current(connection, address.shown)
        ((version,),) = connection.execute(_VERSION).fetchall()
        (counts,) = connection.execute(_COUNTS).fetchall()
        return Inspected(version, *counts)
