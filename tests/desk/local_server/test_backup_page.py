"""The embedded server's page of backups: what goes into one, how far it is, and restoring one."""

import tarfile
from contextlib import closing

from oddsdesk.ledger.ledger import Ledger
from oddsdesk.places import default_ledger
from oddsdesk.store.store import open_store
from tests.kit.waiting import until


async def test_a_backup_holds_what_is_chosen_and_says_how_large_it_is(server, tmp_path):
    Ledger(default_ledger()).close()
    page = server.backup
    await until(page.backup.isEnabled)
    page._on_target_selected(str(tmp_path / "all.tar"))
    assert not page.backup.isEnabled()
    await until(lambda: "copied to" in server.message.text)
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
    say = server.message.say
    server.message.say = lambda text, **how: (said.append(text), say(text, **how))
    await until(server.backup.backup.isEnabled)
    server.backup._on_target_selected(str(tmp_path / "copy.tar"))
    await until(lambda: "copied to" in server.message.text)
    assert said[0] == "Copying…"
    assert "Copying… 100%" in said


async def test_what_cannot_be_written_is_one_line(server, tmp_path):
    await until(server.backup.backup.isEnabled)
    server.backup._on_target_selected(str(tmp_path / "nowhere" / "copy.db"))
    await until(lambda: "cannot be written" in server.message.text)
    assert server.backup.backup.isEnabled()


async def test_nothing_is_restored_before_the_question_is_answered(server, qtbot):
    await until(server.backup.restore.isEnabled)
    asked = []
    server.backup.restore_requested.connect(asked.append)
    server.backup.ask_to_restore("/somewhere/all.tar")
    assert "Replace odds.db with all.tar?" in server.backup.question.text
    server.backup.question._close.click()
    assert asked == []
    server.backup.ask_to_restore("/somewhere/all.tar")
    server.backup.question._action.click()
    assert asked == ["/somewhere/all.tar"]
