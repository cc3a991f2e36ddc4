"""Qt's own words in the desk's language. In processes of their own, as one has one language."""

import subprocess
import sys

import pytest

SAYS_CANCEL = """
import sys
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from oddsdesk.base.texts import use_language
use_language(sys.argv[1])
from oddsdesk.desk.shell.qt_words import translate_qt
app = QApplication([])
print(translate_qt(app))
cancel = QDialogButtonBox.StandardButton.Cancel
box = QDialogButtonBox(cancel)
print(box.button(cancel).text().replace("&", ""))
print(QKeySequence("Ctrl+Left").toString(QKeySequence.SequenceFormat.NativeText))
"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["False", "Cancel", "Ctrl+Left"]),
        ("de", ["True", "Abbrechen", "Ctrl+Left"]),
        ("es", ["True", "Cancelar", "Ctrl+Left"]),
    ],
)
def test_qt_s_own_buttons_are_in_the_language_of_the_desk(language: str, said: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SAYS_CANCEL, language],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.splitlines() == said
