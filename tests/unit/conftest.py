"""A fresh odds file, a clock that stands, and quotes of one football game."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store
from tests.kit.made_files import with_tables
from tests.kit.store import NOW


@pytest.fixture
def now() -> int:
    return NOW


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(with_tables(tmp_path / "odds.db"), clock=lambda: NOW)
    yield store
    store.close()


@pytest.fixture
def every_store(database: Database) -> Iterator[Store]:
    """A new store of each engine in turn."""
    with contextlib.closing(open_store(database, clock=lambda: NOW)) as store:
        yield store


@pytest.fixture
def quote() -> Callable[..., Quote]:
    """Make a quote; what is not said is Bet365's moneyline of PSG - Lyon, in an hour."""

    def make(bookmaker: str = "Bet365", **fields) -> Quote:
        defaults = {
            "match_name": "PSG - Lyon",
            "competition": "LIG1",
            "market_type": "moneyline",
            "period": 0,
            "odds": {"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0},
            "scraped_at": NOW,
            "match_date": NOW + 3_600_000,
        }
        return Quote(bookmaker=bookmaker, **(defaults | fields))

    return make
