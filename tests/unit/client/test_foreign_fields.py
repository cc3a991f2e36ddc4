"""Fields that the contract does not know, and which another service fills as it likes."""

import json
from typing import Any

import pytest

from oddsdesk.client.answers import decode, decode_list
from oddsdesk.contract.resources import Answer, Event, OddsRow

ROW = {
    "bookmaker": "Book",
    "match_name": "A vs B",
    "competition": "EPL",
    "sport": "Football",
    "market_type": "total",
    "period": 0,
    "is_live": False,
    "odds": {"Over 2.5": 1.9, "Under 2.5": 1.95},
    "match_date": None,
    "scraped_at": "2026-11-28T12:00:00Z",
    "url": None,
    "liquidity": None,
}
EVENT = {
    "slug": "a-vs-b",
    "match_name": "A vs B",
    "competition": "EPL",
    "sport": "Football",
    "match_date": None,
    "is_live": False,
    "bookmaker_count": 3,
}


@pytest.mark.parametrize("name", ["offers", "offer", "source_sport"])
@pytest.mark.parametrize("value", [[1, 2], 7, None, True])
@pytest.mark.parametrize(("kind", "item"), [(OddsRow, ROW), (Event, EVENT)])
def test_an_extension_of_another_shape_is_ignored(
    kind: Any, item: dict[str, Any], name: str, value: object
) -> None:
    def body(*items: object) -> bytes:
        return json.dumps(
            {"data": items, "meta": {"rate_limit_remaining": 9, "count": len(items)}}
        ).encode()

    plain = decode(Answer[list[kind]], body(item), "/api/list").data
    items, _ = decode_list(kind, body(item | {name: value}, item), "/api/list")
    assert items == [*plain, *plain]
    assert type(items[0]) is kind  # nothing of it was lost
