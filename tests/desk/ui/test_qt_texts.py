"""Qt's own words in the desk's language. In processes of their own, as one has one language."""

import json
import subprocess
import sys

import pytest

SAYS = """
import json, sys
from PySide6.QtWidgets import QApplication, QCalendarWidget, QDialogButtonBox, QLineEdit
from oddsdesk.base.texts import use_language
use_language(sys.argv[1])
from oddsdesk.desk.ui.actions import shown_keys
from oddsdesk.desk.ui.qt_texts import translate_qt
app = QApplication([])
translate_qt(app)
cancel = QDialogButtonBox.StandardButton.Cancel
box = QDialogButtonBox(cancel)
field = QLineEdit()
menu = field.createStandardContextMenu()
said = [
    box.button(cancel).text().replace("&", ""),
    menu.actions()[0].text().partition("\\t")[0].replace("&", ""),
    QCalendarWidget().locale().monthName(5),
    shown_keys("Ctrl+Left"),
]
print(json.dumps(said))
"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["Cancel", "Undo", "May", "Ctrl+Left"]),
        ("de", ["Abbrechen", "Rückgängig", "Mai", "Strg+Links"]),
        ("es", ["Cancelar", "Deshacer", "mayo", "Ctrl+Izquierda"]),
    ],
)
def test_qt_s_own_texts_are_in_the_language_of_the_desk(language: str, said: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SAYS, language],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(ended.stdout) == said
