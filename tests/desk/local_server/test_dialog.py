"""The embedded server's dialog: keys, feeds, the database and how long it is kept."""

import tarfile
from contextlib import closing

import keyring
import msgspec
import pytest
from keyring.backend import KeyringBackend
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.contract.formats import OWN_FORMATS
from oddsdesk.desk.local_server.controller import ServerController
from oddsdesk.desk.local_server.dialog import ImportPage, KeptImport, ServerDialog
from oddsdesk.desk.ui.controls.feed_fields import REPLAY
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.store import open_store
from tests.kit.packages import install_package
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


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Install a package that names a format, and lacks the module that it names."""
    entry_points = "[oddsdesk.formats]\nshop = no_such_module:IMPORTER\n"
    install_package(tmp_path, "oddsdesk-shop", entry_points)
    monkeypatch.syspath_prepend(str(tmp_path))


async def test_a_key_is_made_and_shown_once_rotated_and_revoked(server, qtbot):
    page = server.keys
    page.account.setText("anna")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2 and page.made.key.text())
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
    assert (page.list.currentItem(), own.text(5)) == (own, "This window")
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
    assert (
        server.message.message_text
        == "You have not copied the new key. It will not be shown again."
    )
    qtbot.keyClick(server.message._cancel, Qt.Key.Key_Escape)
    assert (server.isVisible(), server.message.isHidden()) == (True, True)
    assert server.focusWidget() is page.made.key
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


async def test_a_key_that_was_not_copied_is_replaced_when_the_question_is_answered(
    server, qapp, qtbot
):
    page = server.keys
    server.show()
    server.pages.setCurrentWidget(page)
    qapp.clipboard().setText("nothing of it")
    await _make_key(page, "anna")
    first = page.made.key.text()
    page.make.click()
    assert (
        page._question.message_text
        == "You have not copied the new key. It will not be shown again."
    )
    await until(lambda: server.focusWidget() is page._question._cancel)
    qtbot.keyClick(page._question._cancel, Qt.Key.Key_Escape)
    assert server.focusWidget() is page.made.key
    assert (page._question.isHidden(), page.made.key.selectedText()) == (True, first)
    assert page.list.topLevelItemCount() == 2
    page.make.click()
    page._question._action.click()
    await until(lambda: page.list.topLevelItemCount() == 3 and page.made.key.text() != first)


async def test_rotating_a_key_says_that_another_was_not_copied(server, qapp, qtbot):
    page = server.keys
    qapp.clipboard().setText("nothing of it")
    await _make_key(page, "anna")
    page.rotate.click()
    assert page._question.message_text.endswith(
        " of anna? It will stop working. A new key replaces it. You have not copied the new key."
        " It will not be shown again."
    )
    assert page._question._cancel.isVisibleTo(page._question)
    qapp.clipboard().setText(page.made.key.text())
    page.rotate.click()
    assert page._question.message_text.endswith("A new key replaces it.")


async def test_a_dialog_whose_server_ends_closes_over_a_key_without_a_question(server, qtbot):
    server.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    server.show()
    server.keys.show_secret("oddsdesk_live_" + "a" * 32)
    with qtbot.waitSignal(server.finished):
        server.done(0)


async def test_keys_that_may_write_are_marked(server, session):
    keys = session._server._server.access.keys
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
    await until(lambda: "one bookmaker" in server.message.message_text)
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
    assert page._question.message_text == (
        "Account anna is on Free (Betfair). Change it to Pro? This affects all its keys"
        " (1 active key). For a key on another plan, use another account."
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


_NO_ODDS = "get no odds: no bookmaker is called 'Nobodybet'"


async def test_a_free_key_of_an_unknown_bookmaker_is_made_with_a_warning(server):
    page = server.keys
    await _free_key(page, "anna", "Nobodybet")
    await until(lambda: server.message.message_text == f"Key created. Its keys {_NO_ODDS}.")
    assert not page.made.isHidden()
    server.message.hide()
    await _make_key(page, " anna ")
    QGuiApplication.clipboard().setText(page.made.key.text())
    await until(lambda: not server.message.isHidden())
    assert server.message.message_text == f"Key created. Its keys {_NO_ODDS}."
    await _free_key(page, "tom", "pinnacle")
    assert page.list.topLevelItem(0).text(3) == "Pinnacle"


async def test_the_question_of_another_plan_warns_of_an_unknown_bookmaker(server):
    page = server.keys
    await _make_key(page, "anna")
    page.made.hide_key()
    page.plan.setCurrentIndex(page.plan.findData(Plan.FREE))
    page.bookmaker.setText("Nobodybet")
    page.make.click()
    await until(lambda: not page._question.isHidden())
    assert page._question.message_text == (
        "Account anna is on Pro+ Live. Change it to Free (Nobodybet)? This affects all its keys"
        f" (1 active key). Then its keys {_NO_ODDS}. For a key on another plan, use another "
        "account."
    )


async def test_no_key_is_made_for_the_desks_own_account(server):
    page = server.keys
    page.account.setText(page.list.topLevelItem(0).text(1))
    page.make.click()
    await until(lambda: "belongs to this window. Enter another" in server.message.message_text)
    assert page.list.topLevelItemCount() == 1


async def _make_key(page, account):
    count = page.list.topLevelItemCount()
    page.account.setText(account)
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == count + 1 and page.made.key.text())


async def _free_key(page, account, bookmaker):
    count = page.list.topLevelItemCount()
    page.account.setText(account)
    page.plan.setCurrentIndex(page.plan.findData(Plan.FREE))
    page.bookmaker.setText(bookmaker)
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == count + 1 and page.made.key.text())
    QGuiApplication.clipboard().setText(page.made.key.text())


async def test_the_sixth_key_is_refused_in_words(server):
    for _ in range(5):
        await _make_key(server.keys, "default")
        server.keys.made.hide_key()
    server.keys.make.click()
    await until(lambda: "revoke one first" in server.message.message_text)


async def test_an_account_with_five_keys_changes_its_plan_and_bookmaker(server):
    page = server.keys
    for _ in range(5):
        await _make_key(page, "anna")
        page.made.hide_key()
    assert page.of_account.text() == "Account anna: 5 active keys"
    page.account_plan.setCurrentIndex(page.account_plan.findData(Plan.FREE))
    page.change.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Free")
    await until(lambda: "none is chosen" in server.message.message_text)
    page.account_bookmaker.setText("Pinacle")
    page.change.click()
    await until(lambda: page.list.topLevelItem(0).text(3) == "Pinacle")
    await until(lambda: "did you mean Pinnacle" in server.message.message_text)
    assert server.message.message_text == (
        "Account anna is now on Free (Pinacle). Its keys get no odds: no bookmaker is called"
        " 'Pinacle'; did you mean Pinnacle?"
    )
    page.list.setCurrentItem(page.list.topLevelItem(5))
    assert page.of_account.text().startswith("Account desk")
    assert server.message.isHidden(), "it was about another account"
    page.list.setCurrentItem(page.list.topLevelItem(0))
    page.account_plan.setCurrentIndex(page.account_plan.findData(Plan.PRO))
    page.account_bookmaker.setText("Pinnacle")
    page.change.click()
    await until(
        lambda: server.message.message_text == "Account anna is now on Pro (on Free: Pinnacle)"
    )
    row = page.list.topLevelItem(0)
    assert (row.text(3), row.toolTip(3)) == ("all", "all (on Free: Pinnacle)")
    assert page.list.topLevelItemCount() == 6


async def test_a_message_moves_no_button_of_the_keys(server):
    server.show()
    server.pages.setCurrentWidget(server.keys)
    before = server.keys.geometry()
    server.say_trouble("Its keys get no odds: no bookmaker is called by this long name. " * 2)
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
    assert page._question.message_text.startswith("Remove account anna (1 active key)?")
    await until(lambda: server.focusWidget() is page._question._cancel)
    qtbot.keyClick(page._question._cancel, Qt.Key.Key_Return)
    assert page._question.isHidden()
    assert page.list.topLevelItemCount() == 2
    page.remove.click()
    page._question.action_requested.emit()
    await until(lambda: page.list.topLevelItemCount() == 1)
    await until(lambda: server.message.message_text == "Account anna removed")
    assert page.made.key.text() == ""


async def test_the_desks_own_account_can_be_neither_changed_nor_removed(server):
    page = server.keys
    assert "used by this window" in page.of_account.text()
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
    await until(lambda: "127.0.0.1:1 does not answer" in page.said.text())
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
    await until(lambda: "no such file" in server.message.message_text)


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
    assert "127.0.0.1:1 does not answer" in page.list.topLevelItem(0).text(2)
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
    await until(
        lambda: page.list.topLevelItem(0).text(2).startswith("Stopped: this database has real")
    )


async def test_a_key_that_cannot_be_kept_is_said_and_no_feed_begins(server, monkeypatch):
    monkeypatch.setattr("oddsdesk.base.keyring.Keyring.is_there", lambda _: False)
    page = server.feeds
    page.fields.live.setText("the-odds-api:soccer_epl")
    page.key.setText("canary-of-the-desk")
    page.add.click()
    await until(lambda: "no keyring" in server.message.message_text)
    assert page.list.topLevelItemCount() == 0


async def test_where_there_is_no_keyring_none_is_promised(
    theme, window, session, imports, monkeypatch
):
    monkeypatch.setattr("oddsdesk.base.keyring.Keyring.is_there", lambda _: False)
    dialog = ServerDialog(theme, session.local.url, window)
    made = ServerController(dialog, session.local, system_clock)
    await until(lambda: "no keyring on this computer" in dialog.feeds.key.placeholderText())
    await made.stop_waiting()


async def test_the_database_is_shown(server, tmp_path):
    await until(lambda: server.server.database.text() == str(tmp_path / "odds.db"))


async def test_retention_is_the_databases_own(server, session):
    days = server.server.days
    await until(days.isEnabled)
    assert (days.currentData(), days.currentText()) == (0, "Forever")
    days.setCurrentIndex(days.findData(7))
    days.activated.emit(days.currentIndex())
    await until(lambda: session._server._server.store.reader().keep_days() == 7)


async def test_a_number_of_days_that_is_not_offered_is_shown_and_kept(server, session):
    await session.local.keep_days(45)
    await until(lambda: server.server.days.currentText() == "For 45 days")
    offered = [server.server.days.itemData(row) for row in range(server.server.days.count())]
    assert offered == [0, 1_825, 730, 365, 180, 90, 45, 30, 14, 7, 1]


FIXTURES_CSV = (
    "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA,B365H,B365D,B365A\n"
    "E0,16/08/2025,15:00,Aston Villa,Newcastle,2.1,3.5,3.6,2.05,3.4,3.5\n"
    "E0,17/08/2025,15:00,Arsenal,Chelsea,1.9,3.5,0.5,1.85,3.4,4.2\n"
)


async def test_files_are_imported_once_and_every_price_is_accounted_for(server, tmp_path):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    (tmp_path / "torn.csv").write_text("no,such,columns\n1,2,3\n")
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("football-data"))
    page.ask_import([str(tmp_path / "E0.csv"), str(tmp_path / "torn.csv")])
    assert not page.choose.isEnabled()
    assert page.state.text() == "Importing 2 files…"
    await until(page.choose.isEnabled)
    assert page.state.text().startswith("12 prices read: ")
    assert "price changes recorded" in page.state.text()
    said = page.outcome.toPlainText()
    assert "torn.csv" in said
    assert "Skipped" in said
    assert "times before the kick-offs were assumed" in said
    first = page.state.text()
    page.ask_import([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text().endswith(" 0 price changes recorded."), f"again after {first}"


async def test_what_came_of_files_is_told_where_the_user_is_by_then(
    session, imports, theme, window, tmp_path
):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    heard = []
    imports.done.connect(heard.append)
    first, other = (ServerDialog(theme, session.local.url, window) for _ in range(2))
    imports.show_in(first, session.local)
    first.imports.format.setCurrentIndex(first.imports.format.findData("football-data"))
    first.imports.ask_import([str(tmp_path / "E0.csv")])
    first.reject()
    imports.show_in(other, session.local)
    assert other.imports.state.text() == "Importing 1 file…"
    assert not other.imports.choose.isEnabled()
    other.reject()
    await until(lambda: bool(heard))
    assert heard[0].startswith("Import: 12 prices read: ")


async def test_real_times_among_shifted_ones_need_a_yes_or_a_new_database(
    server, imports, tmp_path
):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    (tmp_path / "other.csv").write_text(FIXTURES_CSV.replace("Arsenal,Chelsea", "Leeds,Hull"))
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("football-data"))
    page.shift.setChecked(True)
    page.ask_import([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.apart.isHidden()
    page.shift.setChecked(False)
    page.ask_import([str(tmp_path / "other.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text() == (
        "These files have their own times, but those of the odds here are shifted to now."
    )
    assert (page.apart.isHidden(), page.name.text()) == (False, "football-data")
    wanted = []
    imports.new_database_requested.connect(lambda *asked: wanted.append(asked))
    page.name.setText("odds")
    page.new.click()
    await until(lambda: "already exists" in server.message.message_text)
    page.name.setText("2025/26 season")
    page.new.click()
    await until(lambda: bool(wanted))
    [(name, path, files)] = wanted
    assert (name, path.name, files.shift_to_now) == ("2025/26 season", "2025-26-season.db", False)
    assert files.places == [str(tmp_path / "other.csv")]
    page.together.click()
    await until(page.choose.isEnabled)
    assert page.state.text().startswith("12 prices read: ")
    assert page.apart.isHidden()


async def test_files_that_a_shift_leaves_ahead_are_offered_a_new_database(server, tmp_path):
    for name, day in (("first", "16"), ("later", "30")):
        text = FIXTURES_CSV.replace("16/08", f"{day}/08").replace("17/08", f"{day}/08")
        (tmp_path / f"{name}.csv").write_text(text)
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("football-data"))
    page.shift.setChecked(True)
    for name in ("first", "later"):
        page.ask_import([str(tmp_path / f"{name}.csv")])
        await until(page.choose.isEnabled)
    assert "0 kept" in page.state.text()
    assert "would be in the future" in page.state.text()
    assert not page.apart.isHidden()
    assert page.together.isHidden(), "they cannot be kept here"


async def test_a_format_that_does_not_fit_finds_no_price(server, tmp_path):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("the-odds-api"))
    page.ask_import([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text() == "No prices found."
    assert "E0.csv" in page.outcome.toPlainText()


async def test_a_format_of_a_package_that_is_broken_is_offered_and_says_why(
    packages, server, tmp_path
):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("shop"))
    assert page.format.currentText() == "shop (package oddsdesk-shop)"
    page.ask_import([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.outcome.toPlainText() == (
        "Problem: format shop (no_such_module:IMPORTER): ModuleNotFoundError:"
        " No module named 'no_such_module'"
    )
    page.format.setCurrentIndex(page.format.findData("football-data"))
    page.ask_import([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text().startswith("12 prices read: ")


async def test_what_the_server_refuses_to_import_is_said_and_files_are_taken_again(
    server, session, tmp_path
):
    await session.stop_session()
    server.imports.ask_import([str(tmp_path / "E0.csv")])
    await until(server.imports.choose.isEnabled)  # the look at the state says the same by itself
    assert "has stopped" in server.message.message_text


def test_files_of_the_past_lead_to_their_last_day(theme, qtbot):
    page = ImportPage(theme)
    qtbot.addWidget(page)
    newest = 1_723_900_000_000
    outcome = ImportOutcome(
        kept=9,
        skipped={},
        problems=[],
        quotes=9,
        changes=9,
        notes=[],
        newest_ms=newest,
        is_past=True,
        inferred_times=True,
    )
    page.show_outcome(outcome)
    assert "All prices are old" in page.outcome.toPlainText()
    with qtbot.waitSignal(page.day_requested) as asked:
        page.show_games.click()
    assert asked.args == [local_time(newest).date()]
    page.show_outcome(msgspec.structs.replace(outcome, is_past=False))
    assert page.show_games.isHidden()


def test_the_choices_of_an_import_are_kept(theme, qtbot, preferences):
    kept = preferences.kept("server/import", KeptImport, KeptImport())
    page = ImportPage(theme, kept)
    qtbot.addWidget(page)
    assert (page.format.currentIndex(), page.shift.isChecked()) == (0, False)
    page.format.setCurrentIndex(2)
    page.shift.setChecked(True)
    again = ImportPage(theme, preferences.kept("server/import", KeptImport, KeptImport()))
    qtbot.addWidget(again)
    assert again.format.currentData() == page.format.currentData()
    assert again.shift.isChecked()
    kept.keep_value(KeptImport("a format that went", False))
    after = ImportPage(theme, kept)
    qtbot.addWidget(after)
    assert after.format.currentIndex() == 0


def test_every_format_of_the_command_can_be_imported(theme, qtbot):
    page = ImportPage(theme)
    qtbot.addWidget(page)
    offered = {page.format.itemData(row) for row in range(page.format.count())}
    assert offered == {each.name for each in OWN_FORMATS}


async def test_a_backup_holds_what_is_chosen_and_says_how_large_it_is(server, tmp_path):
    Ledger(default_ledger()).close()
    page = server.backup
    await until(page.backup.isEnabled)
    page._on_target_selected(str(tmp_path / "all.tar"))
    assert not page.backup.isEnabled()
    await until(lambda: "copied to" in server.message.message_text)
    with tarfile.open(tmp_path / "all.tar") as tar:
        assert tar.getnames() == ["odds.db", "access.db", "ledger.db", "manifest.json"]
    page.keys.setChecked(False)
    page.bets.setChecked(False)
    page._on_target_selected(str(tmp_path / "copy.db"))
    await until((tmp_path / "copy.db").exists)
    with closing(open_store(tmp_path / "copy.db", read_only=True)) as copy:
        assert copy.reference == "Pinnacle"
    await until(page.backup.isEnabled)


async def test_how_far_a_backup_is_is_told(server, tmp_path):
    said = []
    say = server.message.show_message
    server.message.show_message = lambda text, **how: (said.append(text), say(text, **how))
    await until(server.backup.backup.isEnabled)
    server.backup._on_target_selected(str(tmp_path / "copy.tar"))
    await until(lambda: "copied to" in server.message.message_text)
    assert said[0] == "Copying…"
    assert "Copying… 100%" in said


async def test_what_cannot_be_written_is_one_line(server, tmp_path):
    await until(server.backup.backup.isEnabled)
    server.backup._on_target_selected(str(tmp_path / "nowhere" / "copy.db"))
    await until(lambda: "cannot be written" in server.message.message_text)
    assert server.backup.backup.isEnabled()


async def test_nothing_is_restored_before_the_question_is_answered(server, qtbot):
    await until(server.backup.restore.isEnabled)
    asked = []
    server.backup.restore_requested.connect(asked.append)
    server.show()
    server.pages.setCurrentWidget(server.backup)
    server.backup.ask_to_restore("/somewhere/all.tar")
    await until(lambda: server.focusWidget() is server.backup.question._cancel)
    assert "Replace odds.db with all.tar?" in server.backup.question.message_text
    server.backup.question._close.click()
    assert asked == []
    server.backup.ask_to_restore("/somewhere/all.tar")
    server.backup.question._action.click()
    assert asked == ["/somewhere/all.tar"]
