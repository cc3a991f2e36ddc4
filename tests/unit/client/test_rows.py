"""Flat rows, one a price."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.client import EventAnswer, GameAnswer, Listing, to_dicts
from oddsdesk.contract.resources import (
    BookOddsCell,
    EventSummary,
    MarketGroup,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    PriceMessage,
    ReferenceCell,
    ReferenceGroup,
    SelectionOdds,
    Sport,
)

AT = "2026-11-20T18:30:00.000Z"
KICK_OFF = "2026-11-20T20:00:00.000Z"
GAME = "4f2f6ff8-3ef6-5bd5-4f35-6d2f4f0b1a11"


def quoted(**odds: float) -> OddsRow:
    return OddsRow(
        "Betfair", "Arsenal - Chelsea", "EPL", "Football", "moneyline", 0, False, odds, None, AT,
        None, None,
    )  # fmt: skip


def game(*lines: MatrixRow) -> GameAnswer:
    market = MarketMatrix("total", 1, "1st Half", ["Betfair", "Harbour"], AT, list(lines))
    return GameAnswer(
        GAME, "Arsenal - Chelsea", "EPL", "Football", KICK_OFF, False, ["Betfair", "Harbour"],
        [market],
    )  # fmt: skip


def event(markets: list[MarketGroup], reference: list[ReferenceGroup]) -> EventAnswer:
    return EventAnswer(
        "Arsenal - Chelsea", "EPL", "Football", "Arsenal%20-%20Chelsea", KICK_OFF, markets,
        reference, EventSummary([], [], len(markets)),
    )  # fmt: skip


def test_an_odds_row_becomes_a_row_a_selection_in_its_order() -> None:
    rows = Listing([quoted(Arsenal=2.1, Draw=3.4), quoted(Chelsea=3.6)]).to_dicts()
    assert [(row["selection"], row["odds"]) for row in rows] == [
        ("Arsenal", 2.1),
        ("Draw", 3.4),
        ("Chelsea", 3.6),
    ]
    assert list(rows[0]) == [
        "bookmaker", "match_name", "competition", "sport", "market_type", "period", "is_live",
        "selection", "odds", "match_date", "scraped_at", "url", "liquidity",
    ]  # fmt: skip


def test_the_levels_of_a_book_stand_next_to_their_selection() -> None:
    offer = Offer(back=((2.1, 4.5),), currency="GBP")
    rows = Listing([replace(quoted(Arsenal=2.1, Draw=3.4), offers={"Arsenal": offer})]).to_dicts()
    levels = {"back": ((2.1, 4.5),), "lay": (), "currency": "GBP"}
    assert [{name: row.get(name) for name in levels} for row in rows] == [
        levels,
        dict.fromkeys(levels),
    ]
    cell = BookOddsCell(2.1, AT, None, offer)
    [of_game] = game(MatrixRow("Over 2.5", None, {"Betfair": cell})).to_dicts()
    assert of_game.items() >= levels.items()


def test_the_data_of_a_bet_slip_come_last_and_are_no_book() -> None:
    slip = {"sid": "123", "bet_limit": 250.0, "link": "https://example.org/slip"}
    offer = Offer(**slip)
    [row] = Listing([replace(quoted(Arsenal=2.1), offers={"Arsenal": offer})]).to_dicts()
    [of_game] = game(
        MatrixRow("Arsenal", None, {"Betfair": BookOddsCell(2.1, AT, None, offer)})
    ).to_dicts()
    for each in (row, of_game):
        assert list(each.items())[-3:] == list(slip.items())
        assert not {"back", "lay", "currency"} & set(each)
    only_a_limit = Offer(bet_limit=0.0)
    [row] = Listing([replace(quoted(Arsenal=2.1), offers={"Arsenal": only_a_limit})]).to_dicts()
    assert row["bet_limit"] == 0
    assert not {"sid", "link"} & set(row)


def test_a_part_of_a_listing_is_one_too() -> None:
    rows = Listing([quoted(Arsenal=2.1), quoted(Draw=3.4), quoted(Chelsea=3.6)], "more")
    part = rows[1:]
    assert [row["odds"] for row in part.to_dicts()] == [3.4, 3.6]
    assert part.next_cursor is None


def test_a_matrix_becomes_a_row_a_price_next_to_the_reference() -> None:
    seen = BookOddsCell(1.9, AT, "https://example.org/1")
    reference = ReferenceCell(1.95, 500.0, AT)
    rows = game(MatrixRow("Over 2.5", reference, {"Betfair": seen, "Harbour": None})).to_dicts()
    assert rows == [
        {
            "game_id": GAME,
            "match_name": "Arsenal - Chelsea",
            "competition": "EPL",
            "sport": "Football",
            "match_date": KICK_OFF,
            "is_live": False,
            "market_type": "total",
            "period": 1,
            "period_label": "1st Half",
            "selection": "Over 2.5",
            "bookmaker": "Betfair",
            "odds": 1.9,
            "scraped_at": AT,
            "url": "https://example.org/1",
            "reference_odds": 1.95,
            "reference_scraped_at": AT,
            "liquidity": 500.0,
        }
    ]


def test_what_only_the_reference_prices_is_a_row_without_bookmaker() -> None:
    [of_game] = game(MatrixRow("Under 2.5", ReferenceCell(1.9, None, AT), {})).to_dicts()
    group = ReferenceGroup("total", 1, [SelectionOdds("Under 2.5", 1.9)], AT)
    [of_event] = event([], [group]).to_dicts()
    for row in (of_game, of_event):
        assert (row["bookmaker"], row["odds"], row["reference_odds"]) == (None, None, 1.9)


def test_an_event_becomes_a_row_a_price_next_to_the_reference() -> None:
    selections = [SelectionOdds("Arsenal", 2.1), SelectionOdds("Draw", 3.4)]
    reference = ReferenceGroup("moneyline", 0, [SelectionOdds("Arsenal", 2.05)], AT)
    other_half = ReferenceGroup("moneyline", 1, [SelectionOdds("Draw", 2.2)], AT)
    rows = event(
        [MarketGroup("Betfair", "moneyline", 0, selections, AT, None)], [reference, other_half]
    ).to_dicts()
    assert [
        (row["bookmaker"], row["period"], row["selection"], row["odds"], row["reference_odds"])
        for row in rows
    ] == [
        ("Betfair", 0, "Arsenal", 2.1, 2.05),
        ("Betfair", 0, "Draw", 3.4, None),
        (None, 1, "Draw", None, 2.2),
    ]
    assert rows[0]["match_date"] == KICK_OFF
    assert rows[1]["reference_scraped_at"] is None


def test_anything_else_is_a_row_an_item() -> None:
    assert to_dicts([Sport("Football", ["EPL"], 3)]) == [
        {"name": "Football", "competition_codes": ["EPL"], "event_count": 3}
    ]
    change = PriceMessage(
        "Betfair", "Arsenal - Chelsea", "EPL", "Football", "moneyline", "Draw", 3.4, 0, False, AT
    )
    [row] = to_dicts([change])
    assert row["odds"] == 3.4
    assert "liquidity" not in row


cells = st.none() | st.builds(BookOddsCell, st.none() | st.floats(1.01, 50), st.none(), st.none())
books = st.dictionaries(st.sampled_from(["Betfair", "Harbour", "Quay"]), cells)


@given(st.dictionaries(st.sampled_from(["Over 1.5", "Under 1.5", "Over 2.5"]), books))
def test_every_price_of_a_matrix_is_in_exactly_one_row(matrix: dict[str, Any]) -> None:
    lines = [MatrixRow(selection, None, each) for selection, each in matrix.items()]
    rows = game(*lines).to_dicts()
    flat = [(r["selection"], r["bookmaker"], r["odds"]) for r in rows if r["bookmaker"]]
    assert flat == [
        (selection, bookmaker, cell.odds)
        for selection, each in matrix.items()
        for bookmaker, cell in each.items()
        if cell is not None and cell.odds is not None
    ]
    assert {row["selection"] for row in rows} == set(matrix)
