"""Get live odds: chosen, told what it costs, started and seen running; and every bad day."""

import asyncio
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from starlette.responses import RedirectResponse

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.administration import (
    Choice,
    Choices,
    FeedCondition,
    FeedState,
    FeedStatus,
    LivePlan,
)
from oddsdesk.desk.local_server import choice_page, live_dialog
from oddsdesk.desk.local_server.live_dialog import LiveController, LiveDialog
from oddsdesk.desk.ui.formatting import moment_text
from tests.kit.fake_source import FakeSource, as_response
from tests.kit.odds_api_answers import bookmaker, game, h2h, listed
from tests.kit.waiting import until

KEY = "canary0123456789canary0123456789"
OTHER_KEY = "another0123456789another01234567"
CREDITS = {"x-requests-remaining": "480", "x-requests-used": "20"}
SPORTS = [
    {"key": "cricket_ipl", "group": "Cricket", "title": "IPL <b>& more</b>"},
    {"key": "basketball_nba", "group": "Basketball", "title": "NBA"},
    {"key": "soccer_epl", "group": "Soccer", "title": "EPL"},
]


@pytest.fixture
async def source() -> AsyncIterator[FakeSource]:
    fake = FakeSource()
    await fake.start()
    say_sports(fake)
    yield fake
    await fake.stop()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No pause before anything is asked, no key of the machine's, and settings in a folder."""
    monkeypatch.setattr(choice_page, "KEY_PAUSE_MS", 0)
    monkeypatch.setattr(choice_page, "PLAN_PAUSE_MS", 0)
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY", raising=False)
    monkeypatch.setattr("oddsdesk.base.keyring.Keyring.is_there", lambda _: False)
    monkeypatch.setattr("oddsdesk.desk.shell.embedding.settings_folder", lambda: tmp_path)


@pytest.fixture
async def live(theme, window, session, qtbot) -> AsyncIterator[LiveDialog]:
    dialog = LiveDialog(theme, window)
    controller = dialog.controller = LiveController(dialog, session.local, system_clock)
    dialog.kept_feeds, dialog.ended_feeds = [], []
    controller.ended.connect(dialog.ended_feeds.append)
    controller.kept.connect(lambda *what: dialog.kept_feeds.append(what))
    dialog.open()
    await until(lambda: dialog.choice.sources.count() == 6)
    yield dialog
    await controller.stop_waiting()


def say_sports(source: FakeSource) -> None:
    now = system_clock()
    played = [game(now, bookmaker(now, "Pinnacle", h2h()))]
    source.say("/v4/sports", SPORTS, headers=CREDITS)
    source.say("/v4/sports/soccer_epl/events", listed(*played), headers=CREDITS)
    source.say("/v4/sports/soccer_epl/odds", played, headers=CREDITS)
    source.say("/v4/sports/basketball_nba/events", [], headers=CREDITS)


def give_address(live: LiveDialog, url: str) -> None:
    live.choice.address.setText(url)
    live.choice.address.setModified(True)
    live.choice.address.editingFinished.emit()


async def listing(live: LiveDialog, source: FakeSource, key: str = KEY) -> None:
    """Give address and key, and wait for the list."""
    give_address(live, source.url)
    live.choice.key.setText(key)
    await until(lambda: live.choice.competitions.list.topLevelItemCount() == 3)


def tick(live: LiveDialog, row: int) -> None:
    item = live.choice.competitions.list.topLevelItem(row)
    item.setCheckState(0, Qt.CheckState.Checked)


def rows(live: LiveDialog) -> list[tuple[str, str, str]]:
    table = live.choice.competitions.list
    items = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    return [(item.text(0), item.text(1), item.text(2)) for item in items]


async def test_a_source_is_chosen_its_cost_told_and_prices_come(live, source, session):
    page = live.choice
    await until(lambda: "Paste your key" in page._list_note.text())
    assert page.cost.text() == "Tick competitions to see the cost."
    await listing(live, source)
    assert [row[0] for row in rows(live)] == ["EPL", "NBA", "IPL <b>& more</b>"]
    assert "480 credits left, 20 used." in page.cost.text()
    tick(live, 0)
    tick(live, 1)
    await until(lambda: "a month: every " in page.cost.text())
    assert page.cost.text().startswith("One league, 500 credits a month: every 1.6 hours; ")
    assert "Prices count as fresh for 10 minutes: choose fewer competitions or " in page.cost.text()
    table = page.competitions.list
    assert [row[2] for row in rows(live)] == ["1", "0", ""]
    assert [table.topLevelItem(row).text(3) for row in range(3)] == ["every 1.6 hours", "", ""]
    assert not any(path.endswith("/odds") for path in source.paths()), "nothing is paid yet"
    live.start.click()
    await until(lambda: live.running.state.text() == "Running")
    await until(lambda: "480 credits left" in live.running.read.text())
    await until(lambda: "Next update " in live.running.read.text())
    assert "Prices count as fresh for 10 minutes" in live.running.plan.text()
    assert (live.running.title.text(), page.key.text()) == ("The Odds API", "")
    (feed,) = await session.local.feed_reports()
    assert feed.spec.startswith(
        "the-odds-api:soccer_epl,basketball_nba?regions=eu&markets=h2h&url="
    )


async def test_a_choice_after_the_end_asks_nothing(live, source):
    """The page waits a moment before it asks, and the desk may have ended by then."""
    await listing(live, source)
    await live.controller.stop_waiting()
    tick(live, 0)
    live.choice.choice_changed.emit()
    live.choice.source_chosen.emit()
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("live odds")]


async def test_without_a_keyring_the_key_is_kept_in_a_file_of_ones_own(live, source, tmp_path):
    assert "no keyring" in live.choice._key_note.text()
    await listing(live, source)
    tick(live, 0)
    live.start.click()
    await until(lambda: live.running.isVisible())
    kept = tmp_path / "feed-keys" / "the-odds-api.key"
    assert kept.read_text() == KEY
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (spec, replaced) = live.kept_feeds[0]
    assert f"key-file={kept}" in spec
    assert (KEY in spec, replaced) == (False, [])


async def test_a_key_that_is_kept_in_a_file_needs_not_be_typed_again(live, source, tmp_path):
    kept = tmp_path / "feed-keys" / "the-odds-api.key"
    kept.parent.mkdir()
    kept.write_text(f"{KEY}\n")
    give_address(live, source.url)
    await until(lambda: len(rows(live)) == 3)
    tick(live, 0)
    live.start.click()
    await until(lambda: live.running.state.text() == "Running")
    assert f"key-file={kept}" in live.kept_feeds[0][0]


async def test_a_kept_key_needs_not_be_typed(live, source, monkeypatch):
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    give_address(live, source.url)
    await until(lambda: len(rows(live)) == 3)


async def test_a_refused_key_is_reported_next_to_it_until_replaced(live, source):
    refusal = as_response({"error_code": "INVALID_KEY", "message": "no"}, 401)
    source.say("/v4/sports", refusal)
    give_address(live, source.url)
    live.choice.key.setText(KEY)
    bar = live.choice.key_trouble
    await until(lambda: bar.isVisible())
    assert "refuses the key (INVALID_KEY); check it, or use another key." in bar.message_text
    say_sports(source)
    live.choice.key.setText(OTHER_KEY)
    await until(lambda: len(rows(live)) == 3)
    assert bar.isHidden()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>busy</html>", r"127\.0\.0\.1:\d+ sent a web page instead of odds"),
        (b'[{"key": ', "is not JSON"),
        ([{"name": 1}], "/sports has an unexpected shape"),
        (RedirectResponse("http://127.0.0.1:1/"), "redirects elsewhere"),
        (as_response({}, 500), "status 500"),
        (
            as_response({"error_code": "EXCEEDED_FREQ_LIMIT"}, 429),
            r"oo many requests to 127\.0\.0\.1:\d+",
        ),
    ],
)
async def test_a_source_on_a_bad_day_is_one_line_and_can_be_asked_again(live, source, answer, said):
    source.say("/v4/sports", answer)
    give_address(live, source.url)
    live.choice.key.setText(KEY)
    bar = live.choice.list_trouble
    await until(lambda: bar.isVisible())
    assert re.search(said, bar.message_text)
    assert "\n" not in bar.message_text
    say_sports(source)
    bar.action_requested.emit()
    await until(lambda: len(rows(live)) == 3)
    assert bar.isHidden()


async def test_nobody_at_the_address_is_said(live):
    give_address(live, "http://127.0.0.1:1")
    live.choice.key.setText(KEY)
    await until(lambda: "127.0.0.1:1 does not answer." in live.choice.list_trouble.message_text)


async def test_an_address_is_asked_once_it_is_whole(live, source):
    await until(lambda: "Paste your key" in live.choice._list_note.text())
    live.choice.more.click()
    asked = []
    live.choice.source_chosen.connect(lambda: asked.append(live.choice.url))
    QTest.keyClicks(live.choice.address, "half")
    QTest.keyClick(live.choice.address, Qt.Key.Key_Return)
    assert asked == ["half"]
    await until(lambda: "url: expected" in live.choice.list_trouble.message_text)


async def test_a_hanging_source_keeps_nobody_from_choosing_another(live, source):
    hangs = asyncio.Event()

    async def behave(request):
        await hangs.wait()
        return as_response([])

    source.behave = behave
    give_address(live, source.url)
    live.choice.key.setText(KEY)
    await until(lambda: source.asked)
    assert "Loading from The Odds API…" in live.choice._list_note.text()
    live.choice.sources.choose_source("kalshi")
    await until(lambda: len(rows(live)) == 20)
    hangs.set()
    assert rows(live)[0][:2] == ("English Premier League", "Football")


async def test_only_the_cost_of_what_is_ticked_last_is_told(live, source, session, monkeypatch):
    waiting: dict[str, asyncio.Future[LivePlan]] = {}

    async def plan_feed(spec, key):
        waiting[spec] = asyncio.get_running_loop().create_future()
        return await waiting[spec]

    monkeypatch.setattr(session.local, "plan_feed", plan_feed)
    await listing(live, source)
    tick(live, 0)
    await until(lambda: len(waiting) == 1)
    tick(live, 1)
    await until(lambda: len(waiting) == 2)
    first, second = waiting.values()
    assert first.cancelled()
    second.set_result(LivePlan("the second"))
    await until(lambda: live.choice.cost.text() == "The second.")


async def test_a_cost_that_cannot_be_told_is_said_and_starting_still_works(live, source):
    await listing(live, source)
    source.say("/v4/sports/soccer_epl/events", b"<html>")
    tick(live, 0)
    await until(lambda: "sent a web page instead of odds" in live.choice.cost_trouble.message_text)
    live.start.click()
    await until(lambda: live.running.state.text().startswith("Failing"))
    assert "sent a web page instead of odds" in live.running.reason.text()


async def test_regions_and_markets_count_and_one_of_each_is_needed(live, source):
    await listing(live, source)
    tick(live, 0)
    regions, markets = live.choice._options
    regions.boxes["uk"].setChecked(True)
    markets.boxes["totals"].setChecked(True)
    assert "regions=eu,uk&markets=h2h,totals" in live.choice.feed_text()
    for box in regions.boxes.values():
        box.setChecked(False)
    assert live.choice.cost.text() == "Tick at least one of “Bookmakers of”."
    live.start.click()
    assert live.message.message_text == "Tick at least one of “Bookmakers of”."


async def test_competitions_are_found_by_words_and_ticked_ones_stay(live, source):
    await listing(live, source)
    tick(live, 0)
    live.choice.competitions.filter.setText("basket")
    table = live.choice.competitions.list
    assert [table.topLevelItem(row).isHidden() for row in range(3)] == [True, False, True]
    assert live.choice.competitions.ticked() == ("soccer_epl",)


async def test_a_simulation_ends_with_the_first_live_odds(live, source, session):
    await session.local.add_feed("simulator", 1.0)
    await listing(live, source)
    tick(live, 0)
    live.start.click()
    await until(lambda: live.running.isVisible())
    while (await session.local.feed_reports())[0].is_running:
        await asyncio.sleep(0.01)
    simulated, added = await session.local.feed_reports()
    assert ("has real odds" in simulated.problem, added.is_running) == (True, True)


async def test_out_of_credits_says_what_to_do(live, source):
    spent = {"error_code": "OUT_OF_USAGE_CREDITS", "message": "x"}
    none_left = {"x-requests-remaining": "0", "x-requests-used": "500"}
    source.say("/v4/sports/soccer_epl/odds", spent, status=401, headers=none_left)
    await listing(live, source)
    tick(live, 0)
    live.start.click()
    await until(lambda: live.running.state.text().startswith("Out of credits"))
    assert "used up" in live.running.reason.text()
    await until(lambda: "all used; renewed by 20" in live.running.plan.text())
    assert "use another key" in live.running.advice.text()


async def test_a_wait_of_days_is_told_with_its_day(live):
    now = system_clock()
    spent = FeedStatus(FeedCondition.OUT_OF_CREDITS, until=now + 31 * 86_400_000)
    feed = FeedState(1, "kalshi:X", "kalshi", 1.0, False, True, "", status=spent)
    live.show_running("Kalshi", feed, now)
    assert live.running.state.text().endswith(f"next try on {moment_text(spent.until)}")


async def test_what_runs_is_changed_in_place_with_its_ticks(live, source, session):
    await listing(live, source)
    tick(live, 0)
    live.start.click()
    await until(lambda: live.running.state.text() == "Running")
    live.running.change.click()
    assert live.replace.isVisible()
    await listing(live, source)
    assert live.choice.competitions.ticked() == ("soccer_epl",)
    tick(live, 1)
    live.start.click()
    await until(lambda: live.running.isVisible())
    before, after = await session.local.feed_reports()
    assert (before.is_running, after.is_running) == (False, True)
    assert live.kept_feeds[1][1] == [before.spec]
    live.running.stop.click()
    await until(lambda: live.running.state.text() == "Stopped")
    assert live.ended_feeds == [after.spec]


@asynccontextmanager
async def reopened(theme, window, session, asked: list[str]) -> AsyncIterator[LiveDialog]:
    """The dialog opened again; ``asked`` gets the addresses at which a source is asked."""
    choices = session.local.source_choices

    async def ask(name, url, key, key_file=""):
        asked.append(url)
        return await choices(name, url, key, key_file)

    session.local.source_choices = ask
    dialog = LiveDialog(theme, window)
    controller = LiveController(dialog, session.local, system_clock)
    dialog.open()
    try:
        await until(lambda: dialog.choice.sources.count() == 6)
        yield dialog
    finally:
        await controller.stop_waiting()
        dialog.reject()
        del session.local.source_choices


async def test_opened_again_it_shows_what_runs_and_changes_start_from_that(
    live, theme, window, source, session
):
    await listing(live, source)
    tick(live, 0)
    regions, markets = live.choice._options
    regions.boxes["uk"].setChecked(True)
    markets.boxes["totals"].setChecked(True)
    live.start.click()
    await until(lambda: live.running.state.text() == "Running")
    live.reject()
    (before,) = await session.local.feed_reports()
    asked: list[str] = []
    async with reopened(theme, window, session, asked) as again:
        await until(lambda: again.running.isVisible())
        assert again.running.title.text() == "The Odds API"
        assert asked == [], "nobody is asked for what is known"
        again.running.change.click()
        assert again.replace.isVisible()
        assert again.choice.address.isVisible()
        await until(lambda: len(rows(again)) == 3)
        assert set(asked) == {source.url}, "the kept key goes nowhere else"
        assert "A key is saved" in again.choice.key.placeholderText()
        tick(again, 1)
        again.start.click()
        await until(lambda: again.running.isVisible())
    after = (await session.local.feed_reports())[-1]
    assert after.spec == before.spec.replace("soccer_epl", "soccer_epl,basketball_nba")
    assert "regions=eu,uk&markets=h2h,totals&url=" in after.spec


async def test_what_is_read_stays_although_it_has_no_field_or_is_not_listed(
    theme, window, source, session, monkeypatch
):
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    spec = (
        "the-odds-api:soccer_gone,soccer_epl?regions=eu&markets=h2h,h2h_lay&every=600"
        f"&url={source.url}"
    )
    await session.local.add_feed(spec, 1.0)
    async with reopened(theme, window, session, []) as again:
        await until(lambda: again.running.isVisible())
        again.running.change.click()
        await until(lambda: len(rows(again)) == 4)
        assert rows(again)[0][:2] == ("soccer_gone", "not listed at present")
        assert "every=600" in again.choice._others_note.text()
        assert again.choice.feed_text() == spec


async def test_two_feeds_of_a_source_are_changed_as_one(
    theme, window, source, session, monkeypatch
):
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    for spec in ("soccer_epl?regions=eu", "basketball_nba?regions=us,eu"):
        await session.local.add_feed(f"the-odds-api:{spec}&markets=h2h&url={source.url}", 1.0)
    async with reopened(theme, window, session, []) as again:
        await until(lambda: again.running.isVisible())
        again.running.change.click()
        await until(lambda: len(rows(again)) == 3)
        assert again.choice.feed_text() == (
            f"the-odds-api:soccer_epl,basketball_nba?regions=eu,us&markets=h2h&url={source.url}"
        )


async def test_what_is_missing_is_said_until_it_is_there(live, source):
    await listing(live, source)
    live.start.click()
    assert live.message.isVisible()
    tick(live, 0)
    await until(lambda: not live.message.isVisible())


async def test_what_is_missing_of_a_source_is_not_said_of_another(live, source):
    await listing(live, source)
    live.start.click()
    assert live.message.isVisible()
    live.choice.sources.choose_source("kalshi")
    await until(lambda: not live.message.isVisible())


async def test_what_has_no_list_is_typed(live, session):
    live.choice.sources.choose_source("")
    await until(lambda: live.choice.parts.isVisible())
    live.choice.parts.setText("kalshi:KXEPLGAME?url=http://127.0.0.1:1")
    live.start.click()
    await until(lambda: live.running.state.text().startswith("Failing"))
    assert live.running.title.text() == "kalshi"
    live.running.change.click()
    live.choice.sources.choose_source("mirror")
    live.choice.parts.setText("http://127.0.0.1:1")
    await until(lambda: "Within your plan" in live.choice.cost.text())
    assert live.choice.feed_text() == "mirror:http://127.0.0.1:1"


async def test_what_cannot_be_opened_is_one_line_and_can_be_mended(live, session):
    live.choice.sources.choose_source("")
    live.choice.parts.setText("no-such-source:x")
    live.start.click()
    await until(lambda: "o feed 'no-such-source'" in live.message.message_text)
    assert live.start.isEnabled()
    assert live.choice.isVisible()


async def test_everything_is_done_by_keys(live, source, qtbot, session, monkeypatch):
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    give_address(live, source.url)
    await until(lambda: len(rows(live)) == 3)
    await until(lambda: QApplication.focusWidget() is not None)

    def walk_to(widget) -> None:
        for _ in range(40):
            if QApplication.focusWidget() is widget:
                return
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        pytest.fail(f"Tab does not reach {widget}")

    walk_to(live.choice.competitions.list)
    QTest.keyClick(live.choice.competitions.list, Qt.Key.Key_Space)
    assert live.choice.competitions.ticked() == ("soccer_epl",)
    walk_to(live.start)
    QTest.keyClick(live.start, Qt.Key.Key_Space)
    await until(lambda: live.running.isVisible())
    closed = []
    live.finished.connect(closed.append)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert closed == [QDialog.DialogCode.Rejected]


@pytest.mark.parametrize("percent", [100, 160])
async def test_it_holds_on_a_small_screen(theme, window, session, source, percent):
    theme.zoom(percent)
    dialog = LiveDialog(theme, window)
    controller = LiveController(dialog, session.local, system_clock)
    dialog.open()
    await until(lambda: dialog.choice.sources.count() == 6)
    await listing(dialog, source)
    least = dialog.minimumSizeHint()
    await controller.stop_waiting()
    dialog.reject()
    theme.zoom(100)
    assert (least.width() <= 1_280, least.height() <= 800) == (True, True), least


async def test_choosing_a_source_while_a_list_is_long_does_not_hold_the_window(live):
    choices = tuple(Choice(str(n), f"League {n}", "Sport") for n in range(2_000))
    began = system_clock()
    live.choice.show_choices(Choices(choices))
    assert system_clock() - began < 1_000


def test_every_state_has_its_words() -> None:
    assert set(live_dialog._STATES) == set(live_dialog._ADVICE) == set(FeedCondition)
