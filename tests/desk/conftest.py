"""What tests of the desk share: one application with its theme."""

import pytest
from PySide6.QtWidgets import QApplication

from oddsdesk.desk.theme.theme import Scheme, Theme


@pytest.fixture(scope="session")
def _session_theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Scheme.DARK)


@pytest.fixture
def theme(_session_theme: Theme) -> Theme:
    """The theme of the application, dark at the start of each test."""
    if _session_theme.scheme is not Scheme.DARK or _session_theme.is_colour_blind:
        _session_theme.choose(Scheme.DARK)
    return _session_theme
