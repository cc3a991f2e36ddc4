"""What a mirrored service tells while its picture is on the way."""

from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer, PriceMessage
from oddsdesk.contract.results import GameResult, result_row
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.live.live_feed import LiveSpec, Status
from oddsdesk.feeds.mirror import Mirror, MirrorStream, Picture

NOW = 1_795_000_000_000
BEFORE = Quote(
    "Unibet", "Home vs Away", "NBA", "moneyline", 0, {"Home": 2.0, "Away": 1.9}, NOW - 60_000
)


async def never(_seconds: float) -> None:
    raise AssertionError("nothing is waited for")


class Told:
    """A stream, and how often it wanted a picture."""

    def __init__(self) -> None:
        self.picture = Picture()
        self.asked = 0
        self.stream = MirrorStream(self.picture, Status("mirror"), self._ask, lambda: None, never)

    def _ask(self) -> None:
        self.asked += 1

    async def tell(self, odds: float, at: str = format_ms(NOW), **more: Any) -> None:
        fields = ("Unibet", "Home vs Away", "NBA", "Basketball", "moneyline", "Home")
        await self.stream._take(PriceMessage(*fields, odds, 0, False, at, **more), NOW)

    def take(self, quote: Quote) -> list[Quote]:
        """The picture comes; what has changed since."""
        self.picture.take_picture([quote])
        self.stream.catch_up()
        return self.stream._changes


async def test_a_change_that_came_before_the_picture_is_not_lost() -> None:
    """It was read again ten seconds later only, or at a service without room minutes later."""
    told = Told()
    await told.tell(3.5)
    assert told.asked == 1
    (changed,) = told.take(BEFORE)
    assert (changed.odds, changed.scraped_at) == ({"Home": 3.5, "Away": 1.9}, NOW)
    assert told.take(BEFORE) == [changed], "once"


@pytest.mark.parametrize("at", [format_ms(NOW - 120_000), "yesterday"])
async def test_what_the_picture_knows_better_or_makes_no_sense_changes_nothing(at: str) -> None:
    told = Told()
    await told.tell(3.5, at)
    assert told.take(BEFORE) == []


async def test_a_service_whose_clock_is_ahead_tells_no_price_of_later() -> None:
    """D65: a picture that is read after it would not withdraw it."""
    told = Told()
    told.picture.take_picture([BEFORE])
    await told.tell(3.5, format_ms(NOW + 240_000))
    assert [change.scraped_at for change in told.stream._changes] == [NOW]


async def test_a_change_brings_its_levels_or_ends_those_of_the_odds_before() -> None:
    """D104: what was for sale at other odds is not for sale at these."""
    home, away = Offer(back=((2.0, 5.0),)), Offer(back=((1.9, 7.0),))
    told = Told()
    told.picture.take_picture([replace(BEFORE, offers={"Home": home, "Away": away})])
    await told.tell(3.5)
    await told.tell(3.6, offer=Offer(back=((3.6, 1.0),)))
    assert [change.offers for change in told.stream._changes] == [
        {"Away": away},
        {"Away": away, "Home": Offer(back=((3.6, 1.0),))},
    ]


@pytest.mark.parametrize(("odds", "is_unread"), [(0.0, False), (1.0, False), (1e9, True)])
async def test_a_change_to_no_price_withdraws_it_and_one_to_nonsense_does_not(
    odds: float, is_unread: bool
) -> None:
    told = Told()
    told.take(BEFORE)
    await told.tell(odds)
    (changed,) = told.stream._changes
    assert changed.odds == {"Away": 1.9}
    assert list(changed.unread or ()) == (["Home"] if is_unread else [])
    await told.tell(2.1, format_ms(NOW + 1))
    assert told.stream._changes[-1].odds == {"Home": 2.1, "Away": 1.9}


async def test_what_a_picture_could_not_read_stays_unread_with_a_change() -> None:
    told = Told()
    unread = {"Away": "no number"}
    told.take(replace(BEFORE, odds={"Home": 2.0}, unread=unread))
    await told.tell(2.2)
    (changed,) = told.stream._changes
    assert (changed.odds, changed.unread) == ({"Home": 2.2}, unread)


async def test_games_of_a_series_are_held_apart_and_a_doubtful_change_waits_for_a_picture() -> None:
    """D31: they share their names, and a message has no kick-off."""
    asked: list[None] = []
    picture = Picture()
    stream = MirrorStream(
        picture, Status("mirror"), lambda: None, lambda: asked.append(None), never
    )
    day_ms = 86_400_000
    first = replace(BEFORE, match_date=NOW + day_ms)
    second = replace(first, match_date=NOW + 2 * day_ms, odds={"Home": 1.5, "Away": 2.6})
    lone = replace(second, bookmaker="Bet365")

    async def tell(bookmaker: str, odds: float) -> list[Quote]:
        names = (bookmaker, "Home vs Away", "NBA", "Basketball", "moneyline", "Home")
        await stream._take(PriceMessage(*names, odds, 0, False, format_ms(NOW)), NOW)
        return stream._changes

    picture.take_picture([first, second, lone])
    assert await tell("Unibet", 2.2) == []
    assert len(asked) == 1
    (changed,) = await tell("Bet365", 1.55)
    assert (changed.odds, changed.match_date) == ({"Home": 1.55, "Away": 2.6}, lone.match_date)
    assert await tell("Other", 1.9) == [changed]
    picture.take_picture([first, lone])  # the second is over for Unibet
    assert [each.odds for each in await tell("Unibet", 2.2)] == [
        changed.odds,
        {"Home": 2.2, "Away": 1.9},
    ]


async def test_a_picture_sets_the_selections_that_no_later_message_did() -> None:
    """Else one of them stayed wrong until the next picture: it was seen before the message."""
    told = Told()
    told.take(BEFORE)
    await told.tell(2.2)
    told.stream._changes.clear()
    seen = replace(BEFORE, odds={"Home": 2.05, "Away": 1.7}, scraped_at=NOW - 1_000)
    mended = told.picture.take_picture([seen])
    assert [(each.odds, each.scraped_at) for each in mended] == [({"Home": 2.2, "Away": 1.7}, NOW)]
    told.stream.correct(mended, NOW)
    assert told.stream._changes == mended
    assert told.picture.take_picture([seen]) == [], "once"
    await told.tell(2.3, format_ms(NOW + 1))
    assert told.stream._changes[-1].odds == {"Home": 2.3, "Away": 1.7}


async def test_a_selection_that_a_message_took_off_stays_off_with_an_older_picture() -> None:
    told = Told()
    told.take(BEFORE)
    await told.tell(0.0)
    seen = replace(BEFORE, odds={"Home": 2.05, "Away": 1.7}, scraped_at=NOW - 1_000)
    told.stream._changes.clear()
    told.stream.correct(told.picture.take_picture([seen]), NOW)
    assert [each.odds for each in told.stream._changes] == [{"Away": 1.7}]


def test_of_many_results_without_sense_the_first_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    url = "http://127.0.0.1:1"
    mirror = Mirror(LiveSpec(f"mirror:{url}", "mirror", (url,), {}))
    row = result_row("g", GameResult("EPL", "Home vs Away", NOW - 60_000, 2, 1))
    bad = [replace(row, match_name=f"A{n} vs B", status="?") for n in range(99)]
    assert mirror.parse("results", [*bad, row], NOW) == [
        GameResult("EPL", "Home vs Away", NOW - 60_000, 2, 1, sport="Football")
    ]
    assert len(caplog.records) == 20
