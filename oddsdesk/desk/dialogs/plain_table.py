"""A short list with columns, for dialogs."""

from collections.abc import Mapping

from PySide6.QtWidgets import QHeaderView, QTreeWidget


def plain_table(name: str, widths: Mapping[str, int]) -> QTreeWidget:
    """Return an empty list; ``widths`` in pixels by title, the last column takes the rest."""
    table = QTreeWidget()
    table.setAccessibleName(name)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setAllColumnsShowFocus(True)
    table.setHeaderLabels(list(widths))
    header = table.header()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for column, width in enumerate(widths.values()):
        if width:
            header.resizeSection(column, width)
    return table
