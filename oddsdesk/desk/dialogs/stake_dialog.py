"""Asks how to stake; what is chosen holds at once, so that its effect can be watched."""

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QWidget,
)

from oddsdesk.desk.stake_settings import STEPS, StakeSettings
from oddsdesk.desk.theme.spacing import MARGIN, STEP
from oddsdesk.pricing.stakes import StakePlan

_EXPLAINED = (
    "Kelly stakes the edge over the fair price, divided by the odds minus one. A share of it "
    "forgives a fair price that is a little wrong."
)


class StakeDialog(QDialog):
    """Bankroll, share of Kelly, cap, the reference's limit and rounding."""

    def __init__(self, settings: StakeSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Stakes")
        self._settings = settings
        plan = settings.plan
        self.bankroll = _spin(plan.bankroll, 1, 1e9, 2, "", 100)
        self.share = _spin(plan.kelly_share * 100, 1, 100, 0, " %", 5)
        self.cap = _spin(plan.cap * 100, 0.1, 100, 1, " %", 0.5)
        self.limit = QCheckBox("Not above the reference's maximum bet")
        self.limit.setChecked(plan.keeps_to_limit)
        self.step = QComboBox()
        for step in STEPS:
            self.step.addItem(f"{step:g}", step)
        self.step.setCurrentIndex(max(0, self.step.findData(plan.step)))
        self._lay_out()
        for spin in (self.bankroll, self.share, self.cap):
            spin.valueChanged.connect(self._on_changed)
        self.limit.toggled.connect(self._on_changed)
        self.step.currentIndexChanged.connect(self._on_changed)

    def _lay_out(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setSpacing(STEP)
        explained = QLabel(_EXPLAINED, wordWrap=True)
        explained.setProperty("look", "soft")
        form.addRow(explained)
        form.addRow("&Bankroll", self.bankroll)
        form.addRow("Share of &Kelly", self.share)
        form.addRow("At most of the bankroll a b&et", self.cap)
        form.addRow(self.limit)
        form.addRow("&Round down to", self.step)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _on_changed(self) -> None:
        self._settings.choose(
            StakePlan(
                bankroll=self.bankroll.value(),
                kelly_share=self.share.value() / 100,
                cap=self.cap.value() / 100,
                keeps_to_limit=self.limit.isChecked(),
                step=self.step.currentData(),
            )
        )


def _spin(
    value: float, least: float, most: float, decimals: int, suffix: str, step: float
) -> QDoubleSpinBox:
    spin = QDoubleSpinBox(decimals=decimals, minimum=least, maximum=most, singleStep=step)
    spin.setSuffix(suffix)
    spin.setGroupSeparatorShown(True)
    spin.setValue(value)
    return spin
