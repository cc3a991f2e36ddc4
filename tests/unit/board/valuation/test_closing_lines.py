"""Closing lines seen when they happen (D57)."""

from collections.abc import Mapping

import pytest

from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.valuation.closing_lines import WAIT_MS, ClosingLines
from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.pricing.closing import CloseBy, FollowedBet
from tests.kit.quoted_game import NOW_MS, REFERENCE, QuotedGame

KICK_OFF = NOW_MS + 241_200_000
EVEN = {"Over 2.5": 1.9, "Under 2.5": 1.9}


class Followed:
    """A total of a quoted game with one bet on it, followed from an hour before the game."""

    def __init__(self) -> None:
        self.game = QuotedGame()
        self.game.clock.now = KICK_OFF - 60 * MINUTE_MS
        self.lines = ClosingLines(self.game.board, self.game.clock)
        self.quote(EVEN)
        self.bet = FollowedBet(
            *(7, self.game.id, self.game.name, "Football", "total", 0, "Over 2.5"),
            KICK_OFF,
            CloseBy("", "multiplicative"),
        )
        self.lines.follow_bets([self.bet])

    def quote(self, odds: Mapping[str, float], bookmaker: str = REFERENCE) -> None:
        """Let the board read the whole market again."""
        self.game._markets.clear()
        self.game.quote("total", {name: {bookmaker: each, "B": 2} for name, each in odds.items()})
        self.game.load()

    def at(self, minutes: float) -> None:
        """Go to so many minutes after the kick-off, before it where negative."""
        self.game.clock.now = KICK_OFF + round(minutes * MINUTE_MS)


@pytest.fixture
def followed() -> Followed:
    return Followed()


def test_the_close_is_what_stood_last_when_the_game_is_seen_in_play(followed: Followed) -> None:
    followed.at(-2)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.0})
    assert followed.lines.decided() == {}
    followed.at(1)
    followed.game.tell(REFERENCE, "total", "Over 2.5", 1.5, is_live=True)
    close = followed.lines.decided()[7]
    assert (close.odds, close.at) == (1.8, KICK_OFF - 2 * MINUTE_MS)
    assert close.fair_odds == pytest.approx(1.8 * (1 / 1.8 + 1 / 2.0))
    assert close.method == "multiplicative"
    assert followed.lines.decided() == {}


def test_a_lay_and_a_leg_close_like_the_bets_that_they_are(followed: Followed) -> None:
    lay = followed.bet._replace(ident=8, is_lay=True)
    followed.lines.follow_bets([followed.bet._replace(ident=(7, 2)), lay])
    followed.at(-2)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.0})
    followed.at(11)
    closes = followed.lines.decided()
    assert closes[7, 2].fair_odds == pytest.approx(3.8 / 2)
    assert closes[8].fair_odds == pytest.approx(3.8 / 1.8), "of the other side"
    assert closes[8].line == closes[7, 2].line


def test_what_is_seen_again_unchanged_is_as_late_as_it_was_seen(followed: Followed) -> None:
    followed.at(-1)
    followed.quote(EVEN)
    followed.at(2)
    followed.game.tell("B", "total", "Over 2.5", 1.5, is_live=True)
    assert followed.lines.decided()[7].at == KICK_OFF - MINUTE_MS


def test_without_a_sighting_in_play_the_kick_off_holds(followed: Followed) -> None:
    followed.at(0)
    followed.quote({"Over 2.5": 1.7, "Under 2.5": 2.1})
    followed.at(3)
    followed.quote({"Over 2.5": 1.6, "Under 2.5": 2.3})
    followed.game.clock.now = KICK_OFF + WAIT_MS
    assert followed.lines.decided() == {}
    followed.game.clock.now += 1
    assert followed.lines.decided()[7].odds == 1.7


def test_a_line_that_moved_is_told_apart(followed: Followed) -> None:
    followed.at(-2)
    followed.quote({"Over 3": 1.95, "Under 3": 1.95})
    followed.at(11)
    close = followed.lines.decided()[7]
    assert (close.why, close.moved_to) == ("the line moved", "Over 3")
    assert close.moved_fair_odds == pytest.approx(2.0)


def test_a_reference_that_was_lost_long_before_leaves_no_close(followed: Followed) -> None:
    followed.at(11)
    assert followed.lines.decided()[7].why == "last seen more than 30 minutes before the game"


def test_games_are_wanted_from_shortly_before_until_they_are_decided(followed: Followed) -> None:
    lines, game = followed.lines, followed.game
    assert lines.wanted_games() == frozenset()
    followed.at(-30)
    assert lines.wanted_games() == frozenset()  # the service does not list it
    _list_game(game)
    assert lines.wanted_games() == {game.id}
    followed.at(11)
    lines.decided()
    assert lines.wanted_games() == frozenset()


def test_a_bet_on_a_game_that_has_begun_is_left_to_the_log(followed: Followed) -> None:
    followed.at(5)
    other = followed.bet._replace(ident=8)
    followed.lines.follow_bets([followed.bet, other])
    followed.at(11)
    assert set(followed.lines.decided()) == {7}


def test_a_bet_that_was_settled_or_taken_back_is_followed_no_longer(followed: Followed) -> None:
    followed.lines.follow_bets([])
    followed.at(11)
    assert followed.lines.decided() == {}


def test_a_moment_of_the_past_decides_nothing(followed: Followed) -> None:
    followed.game.board.set_connection(Connection(link=Link.PAST, as_of_ms=KICK_OFF))
    followed.at(11)
    assert followed.lines.decided() == {}


def test_a_game_that_became_part_of_another_is_followed_there(followed: Followed) -> None:
    followed.at(-2)
    followed.quote(EVEN)
    followed.game.board.merge_game(followed.game.id, "other")
    followed.at(11)
    assert followed.lines.decided()[7].odds == 1.9


def test_one_who_listens_no_more_sees_nothing(followed: Followed) -> None:
    followed.lines.stop_following()
    followed.at(-2)
    followed.quote(EVEN)
    followed.at(11)
    assert not followed.lines.decided()[7].is_there


def _list_game(game: QuotedGame) -> None:
    listed = Game(
        game.id, game.name, game.competition, "Football", format_ms(KICK_OFF), False, 2, None
    )
    game.board.load_games([listed])


@pytest.mark.parametrize("chosen", ["", "B", CONSENSUS])
def test_the_close_is_that_of_whom_the_settings_name(followed: Followed, chosen: str) -> None:
    board = followed.game.board
    board.name_reference(REFERENCE)
    board.choose_reference(chosen)
    bets = [
        followed.bet._replace(ident=number, by=CloseBy(reference, "multiplicative"))
        for number, reference in enumerate(("", REFERENCE, "B", "Nobody"))
    ]
    followed.lines.follow_bets(bets)
    followed.at(-2)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.05})
    followed.at(11)

    closes = followed.lines.decided()

    assert [closes[number].reference for number in range(4)] == [
        *(REFERENCE, REFERENCE, "B", "Nobody")
    ]
    assert [closes[number].odds for number in range(4)] == [1.8, 1.8, 2.0, None]
    assert closes[3].why == "the sharp book did not price this market before the game"


def test_a_bet_closes_by_the_consensus_of_the_others(followed: Followed) -> None:
    board = followed.game.board
    board.name_reference(REFERENCE)
    board.basis.least_voices = 1
    bet = followed.bet._replace(by=CloseBy("Consensus", "power"), bookmaker="B")
    followed.lines.follow_bets([bet])
    followed.at(-2)
    board.choose_reference(CONSENSUS)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.05})
    found = board.assess(RowKey(followed.game.id, "total", 0, "Over 2.5", "B"))
    assert found is not None
    followed.at(11)
    close = followed.lines.decided()[7]
    assert close.fair_odds == pytest.approx(found.fair_odds, abs=1e-9)
    assert (close.reference, close.line) == ("Consensus", ())
    assert (close.method, close.at) == ("power", KICK_OFF - 2 * MINUTE_MS)


def test_a_handicap_of_zero_pushes_as_often_as_the_moneyline_that_was_followed_draws(
    followed: Followed,
) -> None:
    game = followed.game
    home, away = game.name.split(" - ") if " - " in game.name else game.name.split(" vs ")
    bet = followed.bet._replace(ident=8, market_type="spread", selection=f"{home} 0")
    game._markets.clear()
    odds = {f"{home} 0": 1.5, f"{away} 0": 3.0}
    game.quote("spread", {name: {REFERENCE: each} for name, each in odds.items()})
    odds = {home: 2.0, "Draw": 4.0, away: 4.0}
    game.quote("moneyline", {name: {REFERENCE: each} for name, each in odds.items()})
    followed.at(-2)
    game.load()
    followed.lines.follow_bets([bet])
    followed.at(11)
    close = followed.lines.decided()[8]
    assert (close.fair_odds, close.decided) == (pytest.approx(1.5), pytest.approx(0.75))
    assert close.line == (1.5, 3.0)


DAY_MS = 24 * 60 * MINUTE_MS


def test_the_next_game_of_a_series_under_the_same_id_closes_no_bet(followed: Followed) -> None:
    """A service that is the contract alone gives it the same id: teams and competition."""
    later = followed.bet._replace(ident=8, kick_off=KICK_OFF + DAY_MS)
    followed.lines.follow_bets([followed.bet, later])
    followed.at(-2)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.0})
    followed.at(1)
    followed.game.tell(REFERENCE, "total", "Over 2.5", 1.5, is_live=True)
    assert followed.lines.decided().keys() == {7}
    followed.at(24 * 60 + 11)
    assert followed.lines.decided()[8].why == ("the service has these teams only at another time")


def test_games_of_a_series_under_one_id_close_one_after_the_other(followed: Followed) -> None:
    """The service has today's game first, then tomorrow's; both are seen in play."""
    later = followed.bet._replace(ident=8, kick_off=KICK_OFF + DAY_MS)
    followed.lines.follow_bets([followed.bet, later])
    for day, over in ((0, 1.8), (1, 2.4)):
        followed.game.kick_off = KICK_OFF + day * DAY_MS
        followed.at(day * 24 * 60 - 2)
        followed.quote({"Over 2.5": over, "Under 2.5": 2.0})
        assert followed.lines.decided() == {}
        followed.at(day * 24 * 60 + 1)
        followed.game.tell(REFERENCE, "total", "Over 2.5", 1.5, is_live=True)
        ((ident, close),) = followed.lines.decided().items()
        assert (ident, close.odds) == (7 + day, over)
        assert close.at == followed.game.kick_off - 2 * MINUTE_MS


def test_a_bet_on_yesterdays_game_waits_for_no_game_of_today(followed: Followed) -> None:
    earlier = followed.bet._replace(kick_off=KICK_OFF - DAY_MS)
    followed.lines.follow_bets([earlier])
    followed.at(-2)
    assert followed.lines.wanted_games() == frozenset()
    assert followed.lines.decided() == {}


def test_a_game_that_is_moved_by_hours_closes_its_bets_when_it_begins(followed: Followed) -> None:
    """The kick-off was three hours earlier when the bet was placed."""
    moved = followed.bet._replace(ident=9, kick_off=KICK_OFF - 3 * 60 * MINUTE_MS)
    followed.lines.follow_bets([moved])
    followed.at(-2)
    followed.quote({"Over 2.5": 1.8, "Under 2.5": 2.0})
    assert followed.lines.decided() == {}
    followed.at(11)
    assert followed.lines.decided()[9].odds == 1.8
