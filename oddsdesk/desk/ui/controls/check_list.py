"""A list whose lines are ticked."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget


class CheckList(QListWidget):
    """Keys with their texts; Space ticks the current one."""

    def __init__(
        self,
        purpose: str,
        entries: Sequence[tuple[str, str]],
        ticked: Iterable[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(purpose)
        self.setSpacing(2)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        wanted = set(ticked)
        for key, text in entries:
            item = QListWidgetItem(text, self)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in wanted else Qt.CheckState.Unchecked)

    def ticked(self) -> tuple[str, ...]:
        """Return the keys that are ticked, in the order of the list."""
        items = (self.item(row) for row in range(self.count()))
        return tuple(
            item.data(Qt.ItemDataRole.UserRole)
            for item in items
            if item.checkState() is Qt.CheckState.Checked
        )
