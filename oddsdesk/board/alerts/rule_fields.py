"""The fields of rules as people meet them: title, unit, limits, and how a typed text is read."""

from collections.abc import Mapping
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta

from oddsdesk.board.alerts.rules import (
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Policy,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
)

KINDS: Final[Mapping[type[Rule], tuple[str, str]]] = {
    ValueRule: ("Value bets", "Tells of a value bet that one of your presets lists."),
    TargetRule: ("Target price", "Tells when a price reaches what you wait for."),
    OpportunityRule: ("Arbitrage", "Tells of an arbitrage, by what it leaves at worst."),
    SteamRule: ("Steam", "Tells of bookmakers that move a price the same way at once."),
    KickOffRule: ("Kick-off", "Tells that a game on which you have a bet is about to begin."),
    ConnectionRule: ("Lost connection", "Tells when prices no longer come in."),
}
"""What each kind is called, and what it does."""
LIMITS: Final = (
    "Quiet hours and limits",
    "What is held back is listed with its reason, and sent when that has passed if it still holds.",
)
"""What the form of a policy is called, and what it does."""
_LAST: Final = ("name", "channels", "enabled")
"""What all rules have comes below what a kind has of its own."""


class RuleField(msgspec.Struct, frozen=True):
    """A field as its rule declares it."""

    name: str
    """As the file has it."""
    type: Any
    """With its limits."""
    default: Any
    """``NODEFAULT`` where it has to be given."""
    title: str
    help: str
    unit: str
    meta: Meta

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return self._base is int

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self._base in (int, float)

    @property
    def _base(self) -> Any:
        return get_args(self.type)[0]

    def expected(self) -> str:
        """Say which values there are."""
        meta = self.meta
        if not self.is_number:
            return f"up to {meta.max_length} characters" if meta.max_length else "a text"
        number = "a whole number" if self.is_whole else "a number"
        if meta.le is None:
            return number
        least = f"above {meta.gt:,g} and up to" if meta.ge is None else f"from {meta.ge:,g} to"
        return f"{number} {least} {meta.le:,.12g}"

    def read(self, text: str) -> Any:
        """Return what a typed text says.

        Raises:
            ValueError: nothing that the field may be; says what was expected.
        """
        text = text.strip()
        if not text and self.default is NODEFAULT:
            raise ValueError("this is needed")
        try:
            return self.check(_number(text, is_whole=self.is_whole) if self.is_number else text)
        except ValueError:
            raise ValueError(f"expected {self.expected()}") from None

    def check(self, value: Any) -> Any:
        """Return a value that the field may have.

        Raises:
            ValueError: it lies outside its limits; says what was expected.
        """
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            raise ValueError(f"expected {self.expected()}") from None


def fields_of(kind: type[Rule] | type[Policy]) -> list[RuleField]:
    """Return the fields of a kind of rule, what all kinds have last; or those of a policy."""
    hints = get_type_hints(kind, include_extras=True)
    found = [_field(each, hints[each.name]) for each in msgspec.structs.fields(kind)]
    return sorted(found, key=lambda field: field.name in _LAST)


def _field(field: msgspec.structs.FieldInfo, hint: Any) -> RuleField:
    _, *metas = get_args(hint)
    limits = {
        name: getattr(meta, name)
        for meta in metas
        for name in ("gt", "ge", "le", "min_length", "max_length")
        if getattr(meta, name) is not None
    }
    said = metas[-1]
    return RuleField(
        name=field.name,
        type=hint,
        default=field.default,
        title=said.title,
        help=said.description or "",
        unit=(said.extra or {}).get("unit", ""),
        meta=Meta(**limits),
    )


def _number(text: str, *, is_whole: bool) -> float:
    digits = text.removeprefix("-").replace(".", "", not is_whole)
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20):
        raise ValueError("no number")
    return int(text) if is_whole else float(text)
