"""Which game a quote belongs to and when it starts (D31, D40)."""

from collections.abc import Callable

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.store import Store
from oddsdesk.store.values import Filters, Sight

HOUR = 3_600_000
DAY = 24 * HOUR
MakeQuote = Callable[..., Quote]


def record(store: Store, *quotes: Quote):
    return store.record(quotes).result(10)


def games(store: Store, now: int) -> dict[str, str | None]:
    page = store.reader().games(now, Filters(), Sight(), 100)
    return {game.match_name: game.match_date for game in page.items}


def test_the_first_spelling_of_a_game_is_kept(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote(), quote("Unibet", match_name="psg - LYON"))
    page = store.reader().games(now, Filters(), Sight(), 10)
    assert [(g.match_name, g.bookmaker_count) for g in page.items] == [("PSG - Lyon", 2)]
    assert page.items[0].game_id == "8548bd40-bf55-7646-9218-2b324858f5f5"


def test_of_two_kick_offs_the_latest_scraped_counts(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(match_date=now + HOUR))
    record(store, quote(match_date=now + HOUR, scraped_at=now + 20))
    record(store, quote("Unibet", match_date=now + 2 * HOUR, scraped_at=now + 10))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}
    record(store, quote("Unibet", match_date=now + 2 * HOUR, scraped_at=now + 30))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T15:20:00.000Z"}


def test_the_references_kick_off_outranks_all_others(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("Pinnacle", match_date=now + HOUR, scraped_at=now - 60_000))
    record(store, quote(match_date=now + 2 * HOUR))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_the_reference_corrects_an_earlier_kick_off_though_it_was_scraped_before(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(match_date=now + 2 * HOUR))
    record(store, quote("Pinnacle", match_date=now + HOUR, scraped_at=now - 60_000))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_a_quote_without_kick_off_leaves_the_known_one(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote("Unibet", match_date=None, scraped_at=now + 1))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_a_second_game_of_the_same_names_is_named_with_its_date(
    store: Store, quote: MakeQuote, now: int
) -> None:
    second = now + HOUR + DAY
    batch = [quote(), quote(match_date=second), quote("Unibet"), quote("Unibet", match_date=second)]
    record(store, *batch)
    expected = {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-13T14:20:00.000Z",
    }
    assert games(store, now) == expected
    assert record(store, *batch).changes == 0
    assert games(store, now) == expected


def test_a_whole_series_keeps_its_names_whatever_the_order(
    store: Store, quote: MakeQuote, now: int
) -> None:
    dates = [now + HOUR + day * DAY for day in (2, 0, 1)]
    record(store, *[quote(match_date=date) for date in dates])
    names = set(games(store, now))
    assert names == {"PSG - Lyon", "PSG - Lyon (2026-04-12)", "PSG - Lyon (2026-04-13)"}
    record(store, *[quote("Unibet", match_date=date) for date in reversed(dates)])
    assert set(games(store, now)) == names


def test_a_kick_off_that_moves_by_hours_is_the_same_game(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote(match_date=now + 7 * HOUR))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T20:20:00.000Z"}
    record(store, quote(match_date=now + 7 * HOUR + 1, scraped_at=now + 1))
    assert len(games(store, now)) == 1


def test_a_dated_game_that_moves_past_midnight_is_still_found(
    store: Store, quote: MakeQuote, now: int
) -> None:
    evening = now + DAY + 10 * HOUR  # 2026-04-13T23:20Z
    record(store, quote(), quote(match_date=evening), quote(match_date=evening + 2 * HOUR))
    assert games(store, now) == {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-14T01:20:00.000Z",
    }


def test_once_the_first_game_is_over_its_name_is_free_but_dated_games_keep_theirs(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("Pinnacle"), quote("Pinnacle", match_date=now + HOUR + DAY))
    later = now + 20 * HOUR
    record(store, quote(match_date=now + HOUR + DAY, scraped_at=later))
    record(store, quote(match_date=now + HOUR + 7 * DAY, scraped_at=later))
    assert games(store, later) == {
        "PSG - Lyon (2026-04-13)": "2026-04-13T14:20:00.000Z",
        "PSG - Lyon": "2026-04-19T14:20:00.000Z",
    }


def test_a_third_game_of_the_same_names_on_a_dated_games_day_is_that_game_moved(
    store: Store, quote: MakeQuote, now: int
) -> None:
    late, early = now + 30 * HOUR, now + 16 * HOUR  # both on 13 April, 14 h apart
    record(store, quote(), quote(match_date=late), quote(match_date=early, scraped_at=now + 1))
    assert games(store, now)["PSG - Lyon (2026-04-13)"] == "2026-04-13T05:20:00.000Z"
