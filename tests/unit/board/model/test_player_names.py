"""A board has one text for a bet on a player, however bookmakers spell the name."""

from collections.abc import Mapping
from typing import Any

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.history.price_history import Point
from oddsdesk.board.history.sources import ServiceSource
from oddsdesk.board.intake.quote_readings import LoggedMove
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.model.player_names import PlayerNames
from oddsdesk.board.valuation.closing_lines import WAIT_MS, ClosingLines
from oddsdesk.client.answers import Listing
from oddsdesk.contract.resources import OddsRow, PriceChange
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.open_bets import open_by_outcome, placed_in, to_follow
from oddsdesk.matching.names import PLAYER_PROP
from oddsdesk.pricing.closing import CloseBy
from tests.kit.board import (
    GAME,
    NAME,
    NOW,
    REFERENCE,
    Desk,
    game,
    matrix,
    message,
    odds_row,
    value_bet,
)

ACCENT, PLAIN = "Nikola Jokić points", "Nikola Jokic points"
SON, BARE = "Jaren Jackson Jr. points", "Jaren Jackson points"


def props(*names: str, over: float = 1.95) -> dict[str, float]:
    under = 1.66 if over > 2 else 1.89
    return {
        f"{name} {side} 24.5": price
        for name in names
        for side, price in (("Over", over), ("Under", under))
    }


def row(bookmaker: str, odds: dict[str, float], at: int = NOW) -> OddsRow:
    return odds_row(bookmaker, odds, at, market_type=PLAYER_PROP)


def told(text: str, odds: float, bookmaker: str = "Soft", **more: Any) -> Any:
    return message(text, odds, market_type=PLAYER_PROP, bookmaker=bookmaker, **more)


def picture(*quotes: tuple[str, dict[str, float]]) -> Any:
    return matrix(dict(quotes), market_type=PLAYER_PROP)


class Props(Desk):
    """A board with readings and messages taken in."""

    def __init__(self) -> None:
        super().__init__()
        self.board.load_games([game()])
        self.board.keep_all_rows(True)

    def rows(self, *rows: OddsRow) -> None:
        exhaust(self.board.merge_rows(rows))

    def offered(self) -> dict[str, dict[str, float]]:
        """The odds that are offered, by selection and bookmaker."""
        return {key.selection: self.of(key.selection) for key in self.board.row_keys()}

    def of(self, selection: str) -> dict[str, float]:
        found = self.board.row(GAME, PLAYER_PROP, 0, selection)
        assert found is not None
        return {name: price.odds for name, price in found.prices.items() if price.is_offered}


@pytest.fixture(params=["picture", "rows", "stream"])
def desk(request: pytest.FixtureRequest) -> Props:
    """A board that got two spellings of a player in one of three ways."""
    desk = Props()
    quotes = (REFERENCE, props(ACCENT)), ("Soft", props(PLAIN, over=2.16))
    if request.param == "picture":
        exhaust(desk.board.merge_matrix(picture(*quotes)))
    elif request.param == "rows":
        desk.rows(*(row(*quote) for quote in quotes))
    else:
        desk.board.name_reference(REFERENCE)
        desk.board.apply_all(
            [told(text, odds, name) for name, said in quotes for text, odds in said.items()]
        )
    return desk


def test_prices_of_one_player_are_compared_however_they_came(desk: Props) -> None:
    over, under = props(ACCENT)
    assert desk.offered() == {
        over: {REFERENCE: 1.95, "Soft": 2.16},
        under: {REFERENCE: 1.89, "Soft": 1.66},
    }
    ((key, found),) = desk.board.value_bets.items()
    assert (key.selection, key.bookmaker) == (over, "Soft")
    margin = 1 / 1.95 + 1 / 1.89 - 1
    assert found.assessment.fair_odds == pytest.approx(2 * 1.95 / (2 - margin * 1.95))
    assert found.is_value


def test_a_later_message_and_row_move_the_same_price(desk: Props) -> None:
    over, under = props(ACCENT)
    plain = next(iter(props(PLAIN)))
    desk.board.apply_all([told(plain, 2.2)])
    assert desk.of(over)["Soft"] == 2.2
    desk.now += 5_000
    desk.rows(row("Soft", {plain: 2.3}, NOW + 4_000))
    assert (desk.of(over)["Soft"], "Soft" in desk.of(under)) == (2.3, False)
    assert set(desk.offered()) == {over, under}


def test_a_row_that_says_the_same_again_is_the_same_price(desk: Props) -> None:
    over = next(iter(props(ACCENT)))
    desk.now += 5_000
    desk.rows(row("Soft", props(PLAIN, over=2.16), NOW + 4_000))
    found = desk.board.row(GAME, PLAYER_PROP, 0, over)
    assert found is not None
    assert found.prices["Soft"].scraped_at == NOW + 4_000
    assert found.prices["Soft"].previous is None


def test_a_value_bet_of_the_service_is_the_boards_price(desk: Props) -> None:
    over, plain = next(iter(props(ACCENT))), next(iter(props(PLAIN)))
    listed = value_bet(selection=plain, market_type=PLAYER_PROP, bookmaker="Soft")
    exhaust(desk.board.merge_value_bets([listed]))
    assert [*desk.board.values.listed] == [RowKey(GAME, PLAYER_PROP, 0, over, "Soft")]
    assert len(desk.board.value_bets) == 1


def test_a_move_of_the_log_is_of_the_boards_price(desk: Props) -> None:
    over, plain = next(iter(props(ACCENT))), next(iter(props(PLAIN)))
    key = CellKey(PLAYER_PROP, 0, plain, "Soft")
    move = LoggedMove(desk.board.games[GAME], key, 2.5, NOW + 2_000, False)
    desk.board.apply_moves([move])
    assert desk.of(over)["Soft"] == 2.5


def test_names_that_are_one_already_pass_unchanged() -> None:
    """An answer of our own server, which folds names when it records."""
    names, said = PlayerNames(), picture((REFERENCE, props(ACCENT)), ("B", props(ACCENT)))
    assert names.board_matrix(said, GAME, REFERENCE).markets[0] is said.markets[0]
    each = row("B", props(ACCENT))
    assert names.board_row(GAME, each) is each
    (sent,) = names.messages(GAME, [came := told(next(iter(props(ACCENT))), 2.0)])
    assert sent is came


def test_other_markets_are_not_looked_at() -> None:
    names, total = PlayerNames(), message("Nikola Jokic points Over 24.5", 2.0, market_type="total")
    assert names.messages(GAME, [total]) == [total]
    assert names.board_row(GAME, each := odds_row("B", props(PLAIN))) is each
    assert names.board_matrix(said := matrix(), GAME, "") is said
    assert not names._games


def test_father_and_son_are_parted_once_a_bookmaker_prices_both() -> None:
    """A price taken for the son's becomes the father's immediately; nothing is lost."""
    desk = Props()
    son, bare = next(iter(props(SON))), next(iter(props(BARE)))
    desk.rows(row(REFERENCE, props(SON)), row("B", props(BARE, over=2.5)))
    assert desk.of(son) == {REFERENCE: 1.95, "B": 2.5}
    desk.rows(row("C", props(SON, BARE, over=2.1)))
    assert desk.of(son) == {REFERENCE: 1.95, "C": 2.1}
    assert desk.of(bare) == {"B": 2.5, "C": 2.1}
    desk.board.apply_all([told(bare, 2.6, "B")])
    assert desk.of(bare) == {"B": 2.6, "C": 2.1}
    assert "B" not in desk.of(son)


def test_a_stream_that_names_the_son_after_the_father_parts_them() -> None:
    desk = Props()
    son, bare = next(iter(props(SON))), next(iter(props(BARE)))
    desk.rows(row(REFERENCE, props(SON)))
    desk.board.apply_all([told(bare, 2.5)])
    assert desk.of(son) == {REFERENCE: 1.95, "Soft": 2.5}
    desk.board.apply_all([told(son, 1.8)])
    assert (desk.of(son), desk.of(bare)) == ({REFERENCE: 1.95, "Soft": 1.8}, {"Soft": 2.5})


def test_a_picture_with_both_separates_them_in_any_order() -> None:
    desk = Props()
    son, bare = next(iter(props(SON))), next(iter(props(BARE)))
    quotes = ("A", props(SON)), ("B", props(BARE)), ("C", props(SON, BARE))
    exhaust(desk.board.merge_matrix(picture(*quotes)))
    assert set(desk.of(son)) == {"A", "C"}
    assert set(desk.of(bare)) == {"B", "C"}


@pytest.mark.parametrize(
    "others",
    [
        ("Gary Payton Jr. points", "Gary Payton Sr. points"),
        ("Gary Payton II points", "Gary Payton III points"),
        ("Marcus Morris points", "M. Morris points"),
        ("Marcus Morris points", "Markieff Morris points"),
    ],
)
def test_two_players_stay_two(others: tuple[str, str]) -> None:
    desk = Props()
    desk.rows(row(REFERENCE, props(others[0])), row("B", props(others[1])))
    assert {tuple(said) for said in desk.offered().values()} == {(REFERENCE,), ("B",)}


class Past:
    """A service that lists moves by its own spelling."""

    def __init__(self, moves: Mapping[str, list[PriceChange]]) -> None:
        self.moves, self.asked = moves, list[str | None]()

    async def offers(self, *_: str) -> bool:
        return True

    async def history(self, _game: str, **asked: Any) -> Listing[PriceChange]:
        text = asked.get("selection")
        self.asked.append(text)
        found = [each for said in self.moves.values() for each in said]
        return Listing(found if text is None else self.moves.get(text, []))


async def test_a_history_is_asked_by_the_services_spellings(desk: Props) -> None:
    over, plain = next(iter(props(ACCENT))), next(iter(props(PLAIN)))

    def moved(name: str, text: str, odds: float) -> PriceChange:
        return PriceChange(name, PLAYER_PROP, 0, text, odds, format_ms(NOW), False)

    past: Any = Past({over: [moved(REFERENCE, over, 1.9)], plain: [moved("Soft", plain, 2.16)]})
    source = ServiceSource(past, desk.board)
    history = await source.history_of(GAME, (PLAYER_PROP, 0, over), 0)
    assert past.asked == [over, plain]
    assert history.paths == {REFERENCE: [Point(NOW, 1.9)], "Soft": [Point(NOW, 2.16)]}
    desk.board.choose_reference("Soft")
    references = await source.references(GAME, [(PLAYER_PROP, 0, over)], 0)
    assert references.paths[PLAYER_PROP, 0, over][-1] == Point(NOW, 2.16)


def bet(text: str, **more: Any) -> PlacedBet:
    fields = {"game_id": GAME, "match_name": NAME, "competition": "EPL", "sport": "Football"}
    fields |= {"market_type": PLAYER_PROP, "period": 0, "selection": text, "bookmaker": "Soft"}
    fields |= {"odds": 2.2, "stake": 5.0, "placed_at": NOW, "kick_off": NOW + 3_600_000}
    return PlacedBet(**(fields | more))


@pytest.mark.parametrize(
    "text", ["NIKOLA JOKIC points Over 24.5", "Nikola  Jokic points Over 24.5"]
)
def test_a_bet_in_another_spelling_counts_on_the_listed_outcome(desk: Props, text: str) -> None:
    ((_, price),) = desk.board.value_bets.items()
    listed, spelled = desk.board.games, desk.board.players.spelled
    placed = placed_in([bet(text)], NOW, listed=listed, spelled=spelled)
    assert placed.by_outcome[price.outcome] == 5.0
    held = open_by_outcome([bet(text)], simulated=False, listed=listed, spelled=spelled)
    assert held[price.outcome] == [bet(text)]


def test_a_bet_on_another_player_is_left_as_it_is(desk: Props) -> None:
    other = [bet("Nikola Jović points Over 24.5"), bet("N. Jokić points Over 24.5")]
    assert on_listed_games(other, desk.board.games, desk.board.players.spelled) == other


def test_a_bet_in_another_spelling_closes_by_the_boards_line(desk: Props) -> None:
    lines = ClosingLines(desk.board, lambda: desk.now)
    placed = bet("NIKOLA JOKIC points Over 24.5", ident=7)
    lines.follow_bets(to_follow([placed], CloseBy("", "multiplicative"), desk.board.games))
    desk.now = NOW + 3_600_000 - 60_000
    desk.rows(row(REFERENCE, props(ACCENT, over=1.7), desk.now))
    desk.now = NOW + 3_600_000 + WAIT_MS + 1
    desk.board.players.keep_games(())  # the game is no longer listed
    close = lines.decided()[7]
    assert (close.odds, close.fair_odds) == (1.7, pytest.approx(1.7 * (1 / 1.7 + 1 / 1.89)))
