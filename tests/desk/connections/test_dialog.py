"""The list of connections, and the embedded server's among them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QTreeWidgetItem

from oddsdesk.contract.formats import OWN_FORMATS
from oddsdesk.desk.connections.dialog import ConnectionsDialog
from oddsdesk.desk.connections.profile_dialogs import EmbeddedDialog
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.ui.controls.feed_fields import AUTOMATIC, LIVE, REPLAY, FeedFields
from tests.kit.connections import REMOTE
from tests.kit.packages import install_package


def test_an_embedded_profile_comes_out_as_it_went_in(theme, window):
    for profile in (
        EmbeddedProfile("a"),
        EmbeddedProfile("a", "/x/odds.db", ("none",), 1.0, "Pinnacle", "power"),
        EmbeddedProfile("a", None, ("replay:the-odds-api:/x/*.json.gz",), 60.0),
        EmbeddedProfile("a", None, ("replay:/x/y.ndjson",), 2.5),
        EmbeddedProfile("a", None, ("simulator", "replay:/x"), 1.0),
        EmbeddedProfile("a", None, ("the-odds-api:soccer_epl?regions=uk,eu&every=90",), 1.0),
    ):
        dialog = EmbeddedDialog(theme, profile, window)
        assert dialog.values() == profile
        assert not dialog.is_changed()


def test_every_format_can_be_replayed(qtbot):
    fields = FeedFields((REPLAY,))
    qtbot.addWidget(fields)
    count = fields.format.count()
    offered = [(fields.format.itemText(row), fields.format.itemData(row)) for row in range(count)]
    formats = [(each.title, each.name) for each in OWN_FORMATS]
    assert offered == [("Recorded quotes (NDJSON)", ""), *formats]


def test_a_replay_in_the_format_of_a_package_comes_out_as_it_went_in(
    theme, window, tmp_path, monkeypatch
):
    profile = EmbeddedProfile("a", None, ("replay:shop:/x/prices.csv",), 1.0)
    dialog = EmbeddedDialog(theme, profile, window)
    assert dialog.values() == profile
    assert dialog.feed.format.currentData() == ""
    install_package(tmp_path, "oddsdesk-shop", "[oddsdesk.formats]\nshop = shop:IMPORTER\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    dialog = EmbeddedDialog(theme, profile, window)
    assert dialog.values() == profile
    assert dialog.feed.format.currentData() == "shop"


def test_a_replay_without_a_file_is_said(qtbot):
    fields = FeedFields((AUTOMATIC, REPLAY))
    qtbot.addWidget(fields)
    assert fields.trouble() == ""
    fields.kind.setCurrentIndex(fields.kind.findData(REPLAY))
    assert "file" in fields.trouble()


def test_live_odds_without_a_name_are_said(qtbot):
    fields = FeedFields((AUTOMATIC, LIVE))
    qtbot.addWidget(fields)
    fields.kind.setCurrentIndex(fields.kind.findData(LIVE))
    assert "the-odds-api:soccer_epl" in fields.trouble()
    fields.live.setText("kalshi:KXEPLGAME")
    assert (fields.trouble(), fields.specs()) == ("", ("kalshi:KXEPLGAME",))


def test_the_connection_in_use_and_the_first_one_cannot_be_deleted(theme, window):
    dialog = ConnectionsDialog(theme, window)
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Odds Co.")
    delete = next(b for b in dialog.findChildren(QPushButton) if b.text() == "&Delete")
    assert dialog.current_profile == REMOTE
    assert not delete.isEnabled()
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Built-in server")
    assert delete.isEnabled()
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    assert not delete.isEnabled()


def test_the_row_where_the_keyboard_is_can_be_seen(theme, window, qtbot):
    dialog = ConnectionsDialog(theme, window)
    with qtbot.waitActive(dialog):
        dialog.show()
    dialog.findChildren(QPushButton)[0].setFocus()
    dialog.list.addTopLevelItem(QTreeWidgetItem(["Odds Co.", "there"]))
    dialog.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert dialog.list.currentItem() is not None
    assert dialog.list.selectedItems() == [dialog.list.currentItem()]


def test_names_stand_in_one_line_with_and_without_the_mark_of_use(theme, window):
    dialog = ConnectionsDialog(theme, window)
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Odds Co.")
    icons = (dialog.list.topLevelItem(row).icon(0) for row in range(2))
    assert len({icon.actualSize(dialog.list.iconSize()).toTuple() for icon in icons}) == 1


def test_enter_connects_and_a_double_click_edits_and_neither_does_both(theme, window, qtbot):
    dialog = ConnectionsDialog(theme, window)
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Built-in server")
    asked = []
    dialog.connect_requested.connect(lambda profile: asked.append(("connect", profile)))
    dialog.edit_requested.connect(lambda profile: asked.append(("edit", profile)))
    with qtbot.waitActive(dialog):
        dialog.show()
    item = dialog.list.topLevelItem(1)
    dialog.list.setCurrentItem(item)
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert asked == [("connect", REMOTE)]
    spot = dialog.list.visualItemRect(item).center()
    qtbot.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    qtbot.mouseDClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert asked[1:] == [("edit", REMOTE)]
