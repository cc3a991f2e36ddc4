"""The embedded server's dialog: keys, feeds, the database and how long it is kept."""

import keyring
import pytest
from keyring.backend import KeyringBackend
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from oddsdesk.clock import system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.local_server.controller import ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.ui.controls.feed_fields import REPLAY
from tests.kit.waiting import until


class KeyringInMemory(KeyringBackend):
    """A keyring that keeps what it is given for as long as the test runs."""

    priority = 9

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password


async def test_a_key_is_made_and_shown_once_rotated_and_revoked(server, qtbot):
    page = server.keys
    page.account.setText("anna")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    first = page.made.key.text()
    assert first in page.made.command.text()
    shown = [page.list.topLevelItem(row).text(0) for row in range(2)]
    assert all(first not in text for text in shown)
    assert page.list.currentItem() is page.list.topLevelItem(0)
    page.rotate.click()
    page._question.action_requested.emit()
    await until(lambda: page.made.key.text() != first)
    page.revoke.click()
    page._question.action_requested.emit()
    await until(lambda: page.list.topLevelItem(1).text(5) == "Revoked")
    assert page.made.isHidden()
    assert page.made.key.text() == ""


async def test_the_key_that_the_desk_itself_uses_can_be_neither_rotated_nor_revoked(server):
    page = server.keys
    own = page.list.topLevelItem(0)
    assert (page.list.currentItem(), own.text(5)) == (own, "This desk's")
    assert not page.rotate.isEnabled()
    assert not page.revoke.isEnabled()
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    assert page.revoke.isEnabled()


async def test_a_copied_key_is_said_to_be_until_there_is_another(server, qapp):
    page = server.keys
    page.show_secret("oddsdesk_live_" + "a" * 32)
    copy = next(b for b in page.made.findChildren(QPushButton) if "new key" in b.accessibleName())
    copy.click()
    assert qapp.clipboard().text() == page.made.key.text()
    assert copy.text() == "Copied"
    page.show_secret("oddsdesk_live_" + "b" * 32)
    assert copy.text() == "Copy"


async def test_escape_asks_before_it_closes_over_a_key_that_was_not_copied(server, qapp, qtbot):
    page = server.keys
    server.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    server.show()
    qapp.clipboard().setText("nothing of it")
    page.show_secret("oddsdesk_live_" + "a" * 32)
    qtbot.keyClick(page.made.key, Qt.Key.Key_Escape)
    assert server.isVisible()
    assert server.message.text == "The new key was not copied, and it is not shown again."
    qtbot.keyClick(server.message._cancel, Qt.Key.Key_Escape)
    assert (server.isVisible(), server.message.isHidden()) == (True, True)
    copy = next(b for b in page.made.findChildren(QPushButton) if "new key" in b.accessibleName())
    copy.click()
    qapp.clipboard().setText("something else")
    with qtbot.waitSignal(server.finished):
        qtbot.keyClick(page.made.key, Qt.Key.Key_Escape)


async def test_a_key_that_was_not_copied_is_left_when_the_question_is_answered(server, qapp, qtbot):
    server.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    server.show()
    qapp.clipboard().setText("nothing of it")
    server.keys.show_secret("oddsdesk_live_" + "a" * 32)
    server.reject()
    assert server.isVisible()
    with qtbot.waitSignal(server.finished):
        server.message.action_requested.emit()


async def test_a_dialog_whose_server_ends_closes_over_a_key_without_a_question(server, qtbot):
    server.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    server.show()
    server.keys.show_secret("oddsdesk_live_" + "a" * 32)
    with qtbot.waitSignal(server.finished):
        server.done(0)


async def test_keys_that_may_write_are_told_apart(server, session):
    keys = session._server.administration._server.access.keys
    keys.create("scraper", Plan.PRO, None, system_clock(), may_write=True)
    server.keys.account.setText("anna")
    server.keys.make.click()
    await until(lambda: server.keys.list.topLevelItemCount() == 3)
    rows = map(server.keys.list.topLevelItem, range(3))
    assert {row.text(1): row.text(6) for row in rows} == {
        "anna": "read",
        "scraper": "read, write",
        "desk": "read",
    }


async def test_the_free_plan_needs_its_bookmaker(server):
    page = server.keys
    page.plan.setCurrentIndex(page.plan.findData(Plan.FREE))
    page.make.click()
    await until(lambda: "one bookmaker" in server.message.text)
    page.bookmaker.setText("Betfair")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    assert page.list.topLevelItem(0).text(3) == "Betfair"


async def test_a_further_key_leaves_the_plan_of_its_account(server):
    page = server.keys
    await _free_key(page, "anna", "Betfair")
    page.account.setText("tom")
    assert page.plan.currentData() is Plan.PRO_LIVE
    page.account.setText(" anna ")
    assert (page.plan.currentData(), page.bookmaker.text()) == (Plan.FREE, "Betfair")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 3)
    assert [page.list.topLevelItem(row).text(2) for row in range(2)] == ["Free", "Free"]


async def test_a_further_key_of_another_plan_asks_before_it_changes_the_account(server):
    page = server.keys
    await _free_key(page, "anna", "Betfair")
    page.account.setText("anna")
    page.plan.setCurrentIndex(page.plan.findData(Plan.PRO))
    page.make.click()
    await until(lambda: not page._question.isHidden())
    assert page._question.text == (
        "Account anna is on Free (Betfair). Put it on Pro? That changes all its keys"
        " (1 active key). A key of another plan needs another account."
    )
    assert page.list.topLevelItemCount() == 2
    page.account.setText("anna2")
    assert page._question.isHidden(), "the question was of another account"
    page.account.setText("anna")
    page.make.click()
    await until(lambda: not page._question.isHidden())
    page._question.action_requested.emit()
    await until(lambda: page.list.topLevelItemCount() == 3)
    assert [page.list.topLevelItem(row).text(2) for row in range(2)] == ["Pro", "Pro"]


async def test_a_key_of_an_account_made_elsewhere_meanwhile_leaves_its_plan(server, session):
    page = server.keys
    page.account.setText("anna")
    await session.local.create_key("anna", Plan.FREE, "Betfair")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 3)
    assert page.list.topLevelItem(0).text(2) == "Free"


async def test_no_key_is_made_for_the_desks_own_account(server):
    page = server.keys
    page.account.setText(page.list.topLevelItem(0).text(1))
    page.make.click()
    await until(lambda: "this desk's own: enter another" in server.message.text)
    assert page.list.topLevelItemCount() == 1


async def _free_key(page, account, bookmaker):
    count = page.list.topLevelItemCount()
    page.account.setText(account)
    page.plan.setCurrentIndex(page.plan.findData(Plan.FREE))
    page.bookmaker.setText(bookmaker)
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == count + 1 and page.made.key.text())


async def test_the_sixth_key_is_refused_in_words(server):
    for count in range(2, 7):
        server.keys.make.click()
        await until(lambda: server.keys.list.topLevelItemCount() == count)  # noqa: B023
    server.keys.make.click()
    await until(lambda: "revoke one first" in server.message.text)


async def test_an_account_with_five_keys_changes_its_plan_and_bookmaker(server):
    page = server.keys
    page.account.setText("anna")
    for count in range(2, 7):
        page.make.click()
        await until(lambda: page.list.topLevelItemCount() == count)  # noqa: B023
    assert page.of_account.text() == "Account anna: 5 active keys"
    page.account_plan.setCurrentIndex(page.account_plan.findData(Plan.FREE))
    page.change.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Free")
    await until(lambda: "none is chosen" in server.message.text)
    page.account_bookmaker.setText("Pinacle")
    page.change.click()
    await until(lambda: page.list.topLevelItem(0).text(3) == "Pinacle")
    await until(lambda: "is it Pinnacle" in server.message.text)
    assert server.message.text == (
        "Account anna is on Free (Pinacle) now. Its keys see no odds: no bookmaker that is recorded"
        " or known is called 'Pinacle'; is it Pinnacle?"
    )
    page.list.setCurrentItem(page.list.topLevelItem(5))
    assert page.of_account.text().startswith("Account desk")
    assert server.message.isHidden(), "it was about another account"
    page.list.setCurrentItem(page.list.topLevelItem(0))
    page.account_plan.setCurrentIndex(page.account_plan.findData(Plan.PRO))
    page.account_bookmaker.setText("Pinnacle")
    page.change.click()
    await until(lambda: server.message.text == "Account anna is on Pro (on Free: Pinnacle)")
    row = page.list.topLevelItem(0)
    assert (row.text(3), row.toolTip(3)) == ("all", "all (on Free: Pinnacle)")
    assert page.list.topLevelItemCount() == 6


async def test_a_message_moves_no_button_of_the_keys(server):
    server.show()
    server.pages.setCurrentWidget(server.keys)
    before = server.keys.geometry()
    server.say_trouble("Its keys see no odds: no bookmaker that is recorded is called so. " * 2)
    server.layout().activate()
    assert not server.message.isHidden()
    assert server.keys.geometry() == before


async def test_an_account_is_removed_after_a_question(server, qtbot):
    page = server.keys
    page.account.setText("anna")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    server.show()
    server.pages.setCurrentWidget(page)
    page.remove.click()
    assert page._question.text.startswith("Remove account anna (1 active key)?")
    await until(lambda: server.focusWidget() is page._question._cancel)
    qtbot.keyClick(page._question._cancel, Qt.Key.Key_Return)
    assert page._question.isHidden()
    assert page.list.topLevelItemCount() == 2
    page.remove.click()
    page._question.action_requested.emit()
    await until(lambda: page.list.topLevelItemCount() == 1)
    await until(lambda: server.message.text == "Account anna is removed")
    assert page.made.key.text() == ""


async def test_the_desks_own_account_can_be_neither_changed_nor_removed(server):
    page = server.keys
    assert "this desk's own" in page.of_account.text()
    fields = (page.account_plan, page.account_bookmaker, page.change, page.remove)
    assert not any(field.isEnabled() for field in fields)


async def test_a_feed_is_added_stopped_and_started(server):
    page = server.feeds
    page.fields.kind.setCurrentIndex(page.fields.kind.findData("simulator"))
    page.add.click()
    await until(lambda: page.list.topLevelItemCount() == 1)
    assert page.list.topLevelItem(0).text(2) == "Running"
    page.stop.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Stopped")
    page.start.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Running")


async def test_what_runs_twice_is_told_apart_and_what_is_stopped_is_removed(server):
    page = server.feeds
    for options in ("every=60", "every=90"):
        page.fields.live.setText(f"kalshi:KXEPLGAME,KXNBAGAME?url=http://127.0.0.1:1&{options}")
        page.add.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    rows = [page.list.topLevelItem(row).text(0) for row in range(2)]
    assert sorted(rows) == [f"kalshi:KXEPLGAME, KXNBAGAME ({number})" for number in (1, 2)]
    await until(lambda: "nothing answers at 127.0.0.1:1" in page.said.text())
    assert page.said.wordWrap()
    assert not page.remove.isEnabled()
    page.stop.click()
    await until(page.remove.isEnabled)
    page.remove.click()
    await until(lambda: page.list.topLevelItemCount() == 1)
    assert page.list.topLevelItem(0).text(0) == "kalshi:KXEPLGAME, KXNBAGAME"


async def test_a_feed_that_cannot_be_opened_is_said(server):
    kind = server.feeds.fields.kind
    kind.setCurrentIndex(kind.findData(REPLAY))
    server.feeds.fields.path.setText("/nowhere/at/all.ndjson")
    server.feeds.add.click()
    await until(lambda: "no such file" in server.message.text)


@pytest.fixture
def keyring_in_memory():
    before = keyring.get_keyring()
    made = KeyringInMemory()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


async def test_live_odds_are_added_with_their_key_and_say_how_they_are(
    server, monkeypatch, keyring_in_memory
):
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY", raising=False)
    page = server.feeds
    assert page.key.isVisibleTo(page), "live odds are the first to choose"
    page.fields.live.setText("the-odds-api:soccer_epl?url=http://127.0.0.1:1&every=60")
    page.key.setText("canary-of-the-desk")
    page.add.click()
    await until(lambda: page.list.topLevelItemCount() == 1)
    row = page.list.topLevelItem(0)
    assert (row.text(0), page.key.text()) == ("the-odds-api:soccer_epl", "")
    await until(lambda: page.list.topLevelItem(0).text(2).startswith("Failing: "))
    assert "nothing answers at 127.0.0.1:1" in page.list.topLevelItem(0).text(2)
    assert keyring_in_memory.kept == {"feed the-odds-api": "canary-of-the-desk"}


async def test_a_simulation_says_that_real_odds_have_ended_it(server, session, tmp_path):
    page = server.feeds
    page.fields.kind.setCurrentIndex(page.fields.kind.findData("simulator"))
    page.add.click()
    await until(lambda: page.list.topLevelItemCount() == 1)
    (tmp_path / "real.ndjson").write_text(
        '{"bookmaker":"Betfair","match_name":"Arsenal - Chelsea","competition":"EPL",'
        '"market_type":"moneyline","period":0,"odds":{"Arsenal":2.1,"Chelsea":3.6},'
        '"scraped_at":"2026-04-16T12:00:00.000Z"}\n'
    )
    await session.local.add_feed(f"replay:{tmp_path}/real.ndjson", 1.0)
    await until(lambda: page.list.topLevelItem(0).text(2).startswith("Stopped: real odds are"))


async def test_a_key_that_cannot_be_kept_is_said_and_no_feed_begins(server, monkeypatch):
    monkeypatch.setattr("oddsdesk.system_keyring.Keyring.is_there", lambda _: False)
    page = server.feeds
    page.fields.live.setText("the-odds-api:soccer_epl")
    page.key.setText("canary-of-the-desk")
    page.add.click()
    await until(lambda: "no keyring" in server.message.text)
    assert page.list.topLevelItemCount() == 0


async def test_where_there_is_no_keyring_none_is_promised(
    theme, window, session, imports, monkeypatch
):
    monkeypatch.setattr("oddsdesk.system_keyring.Keyring.is_there", lambda _: False)
    dialog = ServerDialog(theme, session.local.address, window)
    made = ServerController(dialog, session.local, system_clock)
    await until(lambda: "no keyring here" in dialog.feeds.key.placeholderText())
    await made.close()


async def test_the_database_is_shown(server, tmp_path):
    await until(lambda: server.server.database.text() == str(tmp_path / "odds.db"))


async def test_retention_is_the_databases_own(server, session):
    days = server.server.days
    await until(days.isEnabled)
    assert (days.currentData(), days.currentText()) == (0, "For ever")
    days.setCurrentIndex(days.findData(7))
    days.activated.emit(days.currentIndex())
    await until(lambda: session._server.administration.database().result(10).keep_days == 7)


async def test_a_number_of_days_that_is_not_offered_is_shown_and_kept(server, session):
    session._server.administration.keep_log(45).result(10)
    await until(lambda: server.server.days.currentText() == "For 45 days")
    offered = [server.server.days.itemData(row) for row in range(server.server.days.count())]
    assert offered == [0, 1_825, 730, 365, 180, 90, 45, 30, 14, 7, 1]
