"""A short list with columns, for dialogs."""

from collections.abc import Mapping

from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from oddsdesk.desk.theme.theme import Theme


def plain_table(theme: Theme, name: str, widths: Mapping[str, int]) -> QTreeWidget:
    """Return an empty list; ``widths`` in pixels at texts of 100 %, 0 takes the rest."""
    table = QTreeWidget()
    table.setAccessibleName(name)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setHeaderLabels(list(widths))
    header = table.header()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for column, width in enumerate(widths.values()):
        if width:
            header.resizeSection(column, theme.fonts.scaled(width))
    table.currentItemChanged.connect(_select)
    return table


def _select(item: QTreeWidgetItem | None) -> None:
    """Show which row is current, however the keyboard came there."""
    if item is not None:
        item.setSelected(True)
