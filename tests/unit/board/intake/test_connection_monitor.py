"""One state of the connection from all that is reported."""

import pytest

from oddsdesk.board.intake.connection_monitor import HEALTH, STREAM, ConnectionMonitor
from oddsdesk.board.model.notices import Link
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.client.stream import Connected, Connecting, Lost
from oddsdesk.contract.times import format_ms
from tests.kit.board import NOW, Desk

NO_STREAM = ForbiddenError("websocket_not_on_plan", "no stream", 403, "https://odds.example")


@pytest.fixture
def signal(desk: Desk) -> ConnectionMonitor:
    """A signal that has begun."""
    made = ConnectionMonitor(desk.board, lambda: desk.now)
    made.begin_connecting()
    return made


def test_the_link_follows_the_stream(desk: Desk, signal: ConnectionMonitor) -> None:
    links = []
    for state in (Connecting(), Connected(), Lost("gone", NOW + 5), Connecting(), Connected()):
        signal.stream_state(state)
        links.append(desk.board.connection.link)
    waiting = Link.WAITING
    assert links == [Link.CONNECTING, Link.LIVE, waiting, waiting, Link.LIVE]


def test_a_stream_that_the_plan_lacks_is_tried_again_unseen_until_it_is_there(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    shown = []
    signal.outcome(STREAM, NO_STREAM, NOW + 60_000)
    for state in (Connecting(), Connected()):
        signal.stream_state(state)
        known = desk.board.connection
        shown.append((known.link, known.reason, known.has_stream))
    assert shown == [(Link.POLLING, "no stream", False), (Link.LIVE, None, True)]


def test_it_says_since_when_and_when_next(desk: Desk, signal: ConnectionMonitor) -> None:
    signal.stream_state(Connected())
    desk.now += 1_000
    signal.stream_state(Lost("gone", NOW + 5_000))
    desk.now += 1_000
    signal.stream_state(Lost("still gone", NOW + 9_000))
    known = desk.board.connection
    assert (known.since_ms, known.next_try_ms, known.reason) == (NOW, NOW + 9_000, "still gone")


def test_a_service_is_away_since_its_last_word(desk: Desk, signal: ConnectionMonitor) -> None:
    signal.stream_state(Connected())
    desk.now += 5_000
    signal.pace.count_messages(["some day"])
    desk.now += 75_000
    signal.stream_state(Lost("nothing was heard", NOW + 81_000))
    assert desk.board.connection.since_ms == NOW + 5_000
    signal.stream_state(Connected())
    desk.now += 10_000
    signal.outcome("games", None, None)
    desk.now += 10_000
    signal.stream_state(Lost("nothing was heard", NOW + 101_000))
    assert desk.board.connection.since_ms == NOW + 90_000


@pytest.fixture
def reading(desk: Desk) -> ConnectionMonitor:
    """One of a board whose prices one job reads, which it did before the stream came up."""
    made = ConnectionMonitor(desk.board, lambda: desk.now, lambda: frozenset({"rows"}))
    made.begin_connecting()
    made.note_prices_read("rows", desk.now)
    return made


def test_what_was_read_before_a_loss_is_in_doubt_until_it_is_read_again(
    desk: Desk, reading: ConnectionMonitor
) -> None:
    def doubt() -> str:
        return desk.board.connection.why_lost

    assert doubt() == "not connected"
    desk.now += 1_000
    reading.stream_state(Connected())
    assert doubt() == ""
    reading.stream_state(Lost("gone", desk.now + 5))
    assert doubt() == "not connected"
    desk.now += 1_000
    began_while_lost = desk.now
    desk.now += 1_000
    reading.stream_state(Connected())
    assert doubt() == "prices are reloading after a lost connection"
    reading.note_prices_read("rows", began_while_lost)
    reading.note_prices_read("games", desk.now)
    assert desk.board.connection.is_lost
    assert desk.board.connection.is_heard
    reading.note_prices_read("rows", desk.now)
    assert doubt() == ""


def test_a_plan_without_stream_doubts_what_was_read_before_the_last_try_that_failed(
    desk: Desk, reading: ConnectionMonitor
) -> None:
    reading.outcome(STREAM, NO_STREAM, NOW)
    assert not desk.board.connection.is_lost
    desk.now += 1_000
    reading.outcome("games", OfflineError("nobody"), desk.now + 1)
    desk.now += 1_000
    again = desk.now
    reading.outcome("games", None, None)
    assert desk.board.connection.is_catching_up
    reading.note_prices_read("rows", again)
    assert not desk.board.connection.is_lost
    desk.now += 1_000
    reading.outcome("rows", OfflineError("nobody"), desk.now + 1)
    desk.now += 1_000
    reading.note_prices_read("rows", desk.now)
    reading.outcome("rows", None, None)
    assert not desk.board.connection.is_lost


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UnauthorizedError("unauthorized", "unknown key"), "Copy the key again"),
        (ForbiddenError("bookmaker_not_configured", "choose one"), "one bookmaker: choose it"),
        (ForbiddenError("bookmaker_forbidden", "not this one"), "a key that may see it"),
        (OfflineError("there is no odds.invalid"), "Check the address, the network"),
        (MalformedAnswerError("/api/games answered something else"), "This is not an odds service"),
        (ServiceUnavailableError("http_503", "no database", 503), "has a problem"),
    ],
)
def test_it_says_what_to_do(
    desk: Desk, signal: ConnectionMonitor, error: ServiceError, said: str
) -> None:
    signal.outcome("games", error, NOW + 1)
    assert said in desk.board.connection.advice
    signal.outcome("games", None, None)
    assert desk.board.connection.advice == ""


def test_an_answer_about_health_does_not_hide_what_to_do(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    """Health is asked for first, and is answered whatever the key and its quota are."""
    signal.outcome(HEALTH, None, None)
    signal.outcome("games", RateLimitedError("rate limit exceeded", NOW + 9_000), NOW + 9_000)
    assert f"its requests return at {format_ms(NOW + 9_000)}" in desk.board.connection.advice
    signal.outcome("games", MalformedAnswerError("/api/games answered something else"), NOW + 1)
    assert "not an odds service" in desk.board.connection.advice


def test_what_comes_back_by_itself_asks_nothing_of_the_user(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.stream_state(Connected())
    signal.stream_state(Lost("the stream was cut off", NOW + 1_000))
    signal.outcome("games", MalformedAnswerError("cut short", 200), NOW + 1_000)
    assert (desk.board.connection.link, desk.board.connection.advice) == (Link.WAITING, "")
    signal.outcome("games", UnauthorizedError("unauthorized", "unknown key"), NOW + 1_000)
    assert desk.board.connection.advice.startswith("Copy the key again")


def test_jobs_in_trouble_are_named_until_they_go_well(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.outcome("health", OfflineError("nobody"), NOW + 1_000)
    assert signal.troubled == ("health",)
    signal.outcome("health", None, None)
    assert signal.troubled == ()


def test_once_one_job_is_answered_again_none_says_that_nothing_answers(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.stream_state(Connected())
    for job in ("games", "rows"):
        signal.outcome(job, OfflineError("nothing answers"), NOW + 26_000)
    signal.outcome("value bets", ServiceUnavailableError("http_503", "no database", 503), NOW + 1)
    assert signal.unanswered == ("games", "rows")
    signal.outcome("health", None, None)  # which was answered before, too: it says nothing new
    assert desk.board.connection.reason == "nothing answers"
    signal.outcome("games", None, None)
    assert (signal.unanswered, signal.troubled) == ((), ("value bets",))
    assert desk.board.connection.reason == "no database"


def test_a_plan_without_stream_polls_and_trouble_of_polling_shows(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.outcome(STREAM, NO_STREAM, NOW)
    assert desk.board.connection.link is Link.POLLING
    assert desk.board.connection.has_stream is False
    assert desk.board.connection.upgrade_url == "https://odds.example"
    signal.outcome("games", OfflineError("nobody"), NOW + 1_000)
    assert desk.board.connection.link is Link.WAITING
    assert desk.board.connection.reason == "nobody"
    signal.outcome("games", None, None)
    assert desk.board.connection.link is Link.POLLING
    assert desk.board.connection.reason == "no stream"


@pytest.mark.parametrize(
    ("error", "link"),
    [
        (RateLimitedError("used up", NOW + 1), Link.LIVE),
        (UnauthorizedError("unauthorized", "unknown key"), Link.REFUSED),
        (ForbiddenError("bookmaker_not_configured", "choose one"), Link.REFUSED),
    ],
)
def test_trouble_of_reading_stands_beside_a_live_stream(
    desk: Desk, signal: ConnectionMonitor, error: ServiceError, link: Link
) -> None:
    signal.stream_state(Connected())
    signal.outcome("games", error, NOW + 1)
    assert (desk.board.connection.link, desk.board.connection.reason) == (link, error.message)


def test_a_service_that_fails_from_the_start_is_not_live_though_its_stream_is(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    """ "No value bets now" stood below "Live" where none could be read."""
    signal.stream_state(Connected())
    signal.outcome("health", None, None)
    for job in ("games", "value bets"):
        signal.outcome(job, ServiceUnavailableError("http_500", "no database", 500), NOW + 1)
        known = desk.board.connection
        assert (known.link, known.reason, known.is_lost) == (Link.WAITING, "no database", True)
    signal.outcome("value bets", None, None)
    assert (desk.board.connection.link, desk.board.connection.reason) == (Link.LIVE, "no database")
    signal.outcome("games", None, None)
    assert (desk.board.connection.link, desk.board.connection.reason) == (Link.LIVE, None)


def test_a_key_that_is_known_again_is_refused_no_more(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.outcome(STREAM, UnauthorizedError("unauthorized", "unknown key"), NOW + 1)
    assert desk.board.connection.link is Link.REFUSED
    signal.stream_state(Connected())
    assert (desk.board.connection.link, desk.board.connection.reason) == (Link.LIVE, None)


@pytest.mark.parametrize(
    ("has_value_bets", "said", "remaining", "limit"),
    [
        (None, None, 41, None),
        (True, None, 41, None),
        (False, None, 41, None),
        (True, 10_000, 9_000, 10_000),
    ],
)
def test_the_limit_is_the_services_word(
    desk: Desk,
    signal: ConnectionMonitor,
    has_value_bets: bool | None,
    said: int | None,
    remaining: int,
    limit: int | None,
) -> None:
    signal.set_facts(has_value_bets=has_value_bets)
    signal.refresh_figures(Quota(remaining, NOW + 5, NOW, said))
    assert desk.board.connection.requests_limit == limit


def test_a_price_scraped_before_the_stream_opened_tells_nothing_of_its_lag(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.stream_state(Connected())
    desk.now += 400
    signal.pace.count_messages([format_ms(NOW - 25_000)])
    signal.refresh_figures(None)
    assert desk.board.connection.lag_ms is None
    signal.pace.count_messages([format_ms(NOW)])
    signal.refresh_figures(None)
    assert (desk.board.connection.lag_ms, desk.board.connection.messages_per_minute) == (400, 2)


def test_figures_of_the_stream_are_of_the_last_minute(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    for lag in (100, 300, 200):
        signal.pace.count_messages([format_ms(desk.now - lag)])
    signal.refresh_figures(Quota(41, NOW + 5, NOW))
    known = desk.board.connection
    assert (known.lag_ms, known.messages_per_minute) == (200, 3)
    assert (known.requests_left, known.resets_at_ms) == (41, NOW + 5)
    desk.now += 60_001
    signal.refresh_figures(None)
    known = desk.board.connection
    assert (known.lag_ms, known.messages_per_minute) == (None, 0)


@pytest.mark.parametrize(
    ("ahead_ms", "said"),
    [(0, ""), (29_999, ""), (-30_000, "30 s apart"), (90_000, "90 s apart"), (-300_000, "5 min")],
)
def test_prices_stand_by_no_clock_that_is_wrong(
    desk: Desk, signal: ConnectionMonitor, ahead_ms: int, said: str
) -> None:
    signal.stream_state(Connected())
    signal.refresh_figures(None, clock_ahead_ms=ahead_ms)
    known = desk.board.connection
    assert (known.is_lost, said in known.why_lost) == (bool(said), True)
    signal.stream_state(Lost("gone", NOW + 5_000))
    assert desk.board.connection.why_lost == "not connected"
    signal.stream_state(Connected())
    signal.refresh_figures(None)
    assert not desk.board.connection.clocks_text


def silence(desk: Desk, signal: ConnectionMonitor, looks: int, heard: int = 7) -> None:
    for _ in range(looks):
        desk.now += 1_000
        signal.note_sign_of_life(heard, "odds.example")


def test_a_request_that_is_not_answered_says_that_nothing_is_heard(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.outcome(STREAM, NO_STREAM, None)
    signal.outcome("games", None, None)
    read = desk.now
    silence(desk, signal, 6)
    assert desk.board.connection.link is Link.POLLING
    silence(desk, signal, 1)
    known = desk.board.connection
    assert (known.link, known.is_lost, known.since_ms) == (Link.WAITING, True, read)
    assert known.reason == "odds.example is silent"
    signal.outcome("rows", OfflineError("odds.example is silent"), NOW + 30_000)
    signal.note_sign_of_life(None, "odds.example")
    assert desk.board.connection.reason == known.reason
    assert desk.board.connection.link is Link.WAITING
    signal.outcome("rows", None, None)
    assert desk.board.connection.link is Link.POLLING


def test_an_answer_that_takes_long_is_no_silence_while_anything_is_heard(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    signal.outcome(STREAM, NO_STREAM, None)
    signal.outcome("games", None, None)
    for heard in range(20):
        silence(desk, signal, 1, heard)
        assert desk.board.connection.link is Link.POLLING
    silence(desk, signal, 6, 19)
    assert desk.board.connection.link is Link.WAITING
    silence(desk, signal, 1, 20)
    assert desk.board.connection.link is Link.POLLING
    assert desk.board.connection.reason == "no stream"


def test_a_stream_that_tells_is_proof_enough_of_life(desk: Desk, signal: ConnectionMonitor) -> None:
    signal.stream_state(Connected())
    silence(desk, signal, 20)
    assert desk.board.connection.link is Link.LIVE
    assert desk.board.connection.reason is None


def test_what_was_read_since_the_silence_began_counts_and_what_was_before_does_not(
    desk: Desk,
) -> None:
    signal = ConnectionMonitor(desk.board, lambda: desk.now, lambda: frozenset({"rows"}))
    signal.begin_connecting()
    signal.outcome(STREAM, NO_STREAM, None)
    signal.outcome("rows", None, None)
    signal.note_prices_read("rows", desk.now)
    silence(desk, signal, 7)
    desk.now += 30_000
    signal.outcome("rows", None, None)
    assert desk.board.connection.is_catching_up
    signal.note_prices_read("rows", desk.now - 30_000)
    assert not desk.board.connection.is_lost


def test_a_service_without_new_prices_is_silent_by_its_own_clock(
    desk: Desk, signal: ConnectionMonitor
) -> None:
    """The stream stayed "Live" for seven minutes without one price, and nothing told of it."""
    ahead_ms = 20_000
    signal.stream_state(Connected())
    signal.refresh_figures(None, clock_ahead_ms=ahead_ms)
    for _ in range(20):
        signal.note_newest(desk.now - ahead_ms)
        desk.now += 15_000
    newest = desk.now - ahead_ms
    for age_ms in (0, 15_000, 30_000):
        signal.note_newest(newest)
        assert desk.board.connection.silent_since_ms is None, age_ms
        desk.now += 15_000
    signal.note_newest(newest)
    assert desk.board.connection.newest_ms == newest
    assert desk.board.connection.silent_since_ms == newest
    signal.stream_state(Lost("gone", desk.now))
    signal.stream_state(Connected())
    signal.note_newest(newest)
    assert desk.board.connection.silent_since_ms is None, "it may have restarted"
