"""The odds grid's actions: what its bars and header offer, by key and from the palette."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt

from oddsdesk.desk.actions.binding import attach
from oddsdesk.desk.export.formats import CSV, JSON, XLSX

if TYPE_CHECKING:
    from oddsdesk.desk.panels.grid import GridPanel

_EXPORTS: Final = {"grid.export_csv": CSV, "grid.export_xlsx": XLSX, "grid.export_json": JSON}


def attach_grid_actions(panel: GridPanel) -> None:
    """Let keys and palette do what the panel's buttons do."""
    bar, filters = panel.bar, panel.filters
    acts: dict[str, Callable[[], object]] = {
        "grid.copy": panel.copy,
        "grid.arrange": panel.model.arrange,
        "grid.sort": panel.sort_by_current,
        "grid.filter": lambda: bar.filter.setFocus(Qt.FocusReason.ShortcutFocusReason),
        "grid.facets": filters.button.showMenu,
        "grid.clear": filters.cleared.emit,
        "grid.shape": bar.shapes.choose_next,
        "grid.group": bar.group.toggle,
        "grid.columns": bar.columns.click,
        "grid.reading": bar.pause.click,
    }
    for ident, file_format in _EXPORTS.items():
        acts[ident] = partial(bar.export_requested.emit, file_format)
    for ident, act in acts.items():
        attach(panel, ident, act)
