"""Games that may be one: accepted, refused and taken back on a server that runs (D69)."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import GameMerged
from oddsdesk.contract.identity import PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.local_server.controller import ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from tests.kit.waiting import until, until_told

ACCEPTED, REFUSED, SUGGESTED = PairState.ACCEPTED, PairState.REFUSED, PairState.SUGGESTED
MARKUP = "<i>Lyon</i>"
TEAMS = [("PSG", "Lyon"), ("Bray", "Cork"), ("Ajax", "Breda")]


def quotes() -> list[Quote]:
    """Three games of two sources each, which call the teams alike only."""
    now = system_clock()
    found = []
    for number, (home, away) in enumerate(TEAMS):
        away_there = f"{MARKUP} Lions" if away == "Lyon" else f"{away} Lions"
        for bookmaker, pair in (
            ("Bet365", (home, away)),
            ("Unibet", (f"{home} Stars", away_there)),
        ):
            found.append(
                Quote(
                    bookmaker=bookmaker,
                    match_name=" - ".join(pair),
                    competition="a league",
                    market_type="moneyline",
                    period=0,
                    odds={pair[0]: 2.0, pair[1]: 3.0},
                    scraped_at=now,
                    match_date=now + (number + 1) * 4 * 3_600_000,
                    event=f"{bookmaker.lower()}:{number}",
                )
            )
    return found


@pytest.fixture
async def page(server: ServerDialog, session: Any) -> Any:
    session._server._server.store.record(quotes()).result(10)
    server.pages.setCurrentWidget(server.games)
    await until(lambda: len(server.games.pairs()) == 3)
    return server.games


def states(page: Any) -> dict[str, PairState]:
    return {pair.kept.match_name: pair.state for pair in page.pairs()}


def selected(page: Any) -> list[str]:
    return [item.text(0) for item in page.list.selectedItems()]


def select(page: Any, *names: str) -> None:
    for item in page._items():
        item.setSelected(item.text(0) in names)


async def test_suggestions_say_what_they_are_and_the_tab_how_many(server, page):
    assert server.pages.tabText(server.pages.currentIndex()) == "Games (3)"
    assert selected(page) == ["PSG - Lyon"]
    assert not page.undo.isEnabled()
    _, kept, other, why = (label.text() for label in page._about)
    assert kept.startswith("PSG - Lyon · ")
    assert kept.endswith(" · 1 bookmaker (Bet365) · from bet365")
    assert other.startswith(f"PSG Stars - {MARKUP} Lions · ")
    assert why == (
        f"Suggested because: PSG and PSG Stars share “psg”; Lyon and {MARKUP} Lions share “lyon”."
    )
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in page.findChildren(QLabel))


async def test_each_decision_goes_on_to_the_next_suggestion(server, page, qtbot):
    server.show()
    server.activateWindow()
    page.list.setFocus()
    await until(page.list.hasFocus)
    qtbot.keyClick(page.list, Qt.Key.Key_A)
    await until(lambda: states(page)["PSG - Lyon"] is ACCEPTED)
    assert selected(page) == ["Bray - Cork"]
    page.refuse.click()
    await until(lambda: states(page)["Bray - Cork"] is REFUSED)
    assert selected(page) == ["Ajax - Breda"]
    assert server.pages.tabText(server.pages.currentIndex()) == "Games (1)"
    assert [pair.kept.match_name for pair in page.pairs()] == [
        "Ajax - Breda",
        "PSG - Lyon",
        "Bray - Cork",
    ]
    qtbot.keyClick(page.list, Qt.Key.Key_R)
    await until(lambda: states(page)["Ajax - Breda"] is REFUSED)
    assert server.pages.tabText(server.pages.currentIndex()) == "Games"


async def test_keys_that_are_quicker_than_the_server_decide_of_the_next(server, page, qtbot):
    server.show()
    server.activateWindow()
    page.list.setFocus()
    await until(page.list.hasFocus)
    for key in (Qt.Key.Key_R, Qt.Key.Key_A, Qt.Key.Key_R):
        qtbot.keyClick(page.list, key)
    await until(lambda: SUGGESTED not in states(page).values())
    await until(lambda: list(states(page).values()) == [ACCEPTED, REFUSED, REFUSED])
    assert states(page)["Bray - Cork"] is ACCEPTED
    assert not server.message.message_text


async def test_several_are_decided_and_taken_back_at_once(page):
    select(page, "PSG - Lyon", "Ajax - Breda")
    assert page._about[0].text() == "2 pairs selected."
    page.accept.click()
    await until(lambda: list(states(page).values()).count(ACCEPTED) == 2)
    assert selected(page) == ["Bray - Cork"]
    select(page, "PSG - Lyon", "Ajax - Breda")
    assert not page.accept.isEnabled()
    page.undo.click()
    await until(lambda: set(states(page).values()) == {SUGGESTED})


async def test_what_cannot_be_decided_is_said_and_the_list_stays(server, page, session):
    ident = page.pairs()[0].ident
    await session.local.decide_game_pairs([ident], REFUSED)
    await session.local.decide_game_pairs([ident], ACCEPTED)
    page.refuse.click()
    await until(lambda: "is accepted; undo that first" in server.message.message_text)


async def test_the_board_shows_the_one_game_without_a_restart(server, page, session):
    board = Board(system_clock)
    client = session._client
    sync = Sync(client, board, system_clock)
    pair = page.pairs()[0]
    merged: list[GameMerged] = []
    board.subscribe(lambda notice: merged.append(notice) if type(notice) is GameMerged else None)
    sync.subscribe_game(pair.other.game_id)
    sync.start_reading()
    await until_told(board, lambda: len(board.games) == 6)
    await until_told(board, lambda: board.matrix(pair.other.game_id) is not None)
    controller = server.findChild(ServerController)
    controller.games_decided.connect(sync.read_all_again)
    page.accept.click()
    await until(lambda: states(page)["PSG - Lyon"] is ACCEPTED)
    await until_told(board, lambda: len(board.games) == 5 and bool(merged))
    assert merged[0] == GameMerged(pair.other.game_id, pair.kept.game_id)
    assert board.games[pair.kept.game_id].bookmaker_count == 2
    page.list.clearSelection()
    select(page, "PSG - Lyon")
    page.undo.click()
    await until(lambda: states(page)["PSG - Lyon"] is SUGGESTED)
    await until_told(board, lambda: len(board.games) == 6)
    await sync.stop_reading()


async def test_an_answer_that_comes_late_does_not_take_the_place_of_a_newer(
    server, session, monkeypatch
):
    local = session.local
    ask, may_answer = local.game_pairs, asyncio.Event()

    async def answered_late():
        found = await ask()
        monkeypatch.setattr(local, "game_pairs", ask)
        asked_early.set_result(None)
        await may_answer.wait()
        return found

    asked_early = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(local, "game_pairs", answered_late)
    server.pages.setCurrentWidget(server.games)
    await asked_early
    session._server._server.store.record(quotes()).result(10)
    server.pages.setCurrentWidget(server.keys)
    server.pages.setCurrentWidget(server.games)
    await until(lambda: len(server.games.pairs()) == 3)
    may_answer.set()
    for _ in range(3):  # its waiter, its task
        await asyncio.sleep(0)
    assert len(server.games.pairs()) == 3
