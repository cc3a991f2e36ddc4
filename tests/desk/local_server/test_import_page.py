"""Files imported into the running server: each price accounted for, what is refused said."""

import msgspec

from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.local_server.import_page import ImportPage
from oddsdesk.desk.ui.time_format import local_time
from oddsdesk.feeds.importers import IMPORTERS
from tests.kit.waiting import until

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
    page.take([str(tmp_path / "E0.csv"), str(tmp_path / "torn.csv")])
    assert not page.choose.isEnabled()
    assert page.state.text() == "Importing 2 files…"
    await until(page.choose.isEnabled)
    assert page.state.text().startswith("12 prices read: ")
    assert "price changes recorded" in page.state.text()
    said = page.outcome.toPlainText()
    assert "torn.csv" in said
    assert "Skipped" in said
    assert "inferred from the kick-offs" in said
    first = page.state.text()
    page.take([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text().endswith(" 0 price changes recorded."), f"again after {first}"


async def test_what_came_of_files_is_told_where_the_user_is_by_then(
    session, imports, theme, window, tmp_path
):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    heard = []
    imports.message_ready.connect(heard.append)
    first, other = (ServerDialog(theme, session.local.address, window) for _ in range(2))
    imports.show_in(first, session.local)
    first.imports.format.setCurrentIndex(first.imports.format.findData("football-data"))
    first.imports.take([str(tmp_path / "E0.csv")])
    first.reject()
    imports.show_in(other, session.local)
    assert other.imports.state.text() == "Importing 1 file…"
    assert not other.imports.choose.isEnabled()
    other.reject()
    await until(lambda: bool(heard))
    assert heard[0].startswith("Import: 12 prices read: ")


async def test_a_format_that_does_not_fit_finds_no_price(server, tmp_path):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("the-odds-api"))
    page.take([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text() == "No price was found."
    assert "E0.csv" in page.outcome.toPlainText()


async def test_what_the_server_refuses_to_import_is_said_and_files_are_taken_again(
    server, session, tmp_path
):
    await session.stop()
    server.imports.take([str(tmp_path / "E0.csv")])
    await until(server.imports.choose.isEnabled)  # the look at the state says the same by itself
    assert "has stopped" in server.message.text


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
    assert "All of them are past" in page.outcome.toPlainText()
    with qtbot.waitSignal(page.day_requested) as asked:
        page.show_games.click()
    assert asked.args == [local_time(newest).date()]
    page.show_outcome(msgspec.structs.replace(outcome, is_past=False))
    assert page.show_games.isHidden()


def test_every_format_of_the_command_can_be_imported(theme, qtbot):
    page = ImportPage(theme)
    qtbot.addWidget(page)
    offered = {page.format.itemData(row) for row in range(page.format.count())}
    assert offered == set(IMPORTERS)
