"""Fields for bounds of a figure that may be left open."""

from typing import Final

from oddsdesk.desk.ui.controls.number_fields import DecimalSpin
from oddsdesk.desk.ui.controls.scaling import inset

ANY: Final = "Any"
"""What a field says whose bound is left open."""


def bound_spin(
    value: float | None,
    suffix: str,
    *,
    decimals: int,
    step: float,
    most: float,
    least: float = 0.0,
) -> DecimalSpin:
    """Return a field for a bound; its least value leaves it open."""
    spin = inset(DecimalSpin(decimals=decimals, least=least, most=most, step=step))
    spin.setSuffix(suffix)
    spin.setSpecialValueText(ANY)
    spin.setValue(least if value is None else value)
    return spin


def given_bound(spin: DecimalSpin) -> float | None:
    """Return the bound as it is given, None where it is left open."""
    return None if spin.value() <= spin.minimum() else spin.value()
