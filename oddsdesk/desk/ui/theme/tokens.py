"""Colour tokens: what each colour of the desk is for, dark and light, with a colour-blind pair."""

from enum import IntEnum
from functools import cache

import msgspec

READABLE = 4.5
"""The least contrast of text on its ground (WCAG 2.1, 1.4.3)."""
VISIBLE = 3.0
"""The least contrast of what shows where a field is (WCAG 2.1, 1.4.11)."""


def mix(over: str, under: str, share: float) -> str:
    """Return the opaque colour of ``over`` laid on ``under`` with an opacity of ``share``."""
    pairs = zip(_channels(over), _channels(under), strict=True)
    return "#" + "".join(
        f"{round(top * share + bottom * (1 - share)):02x}" for top, bottom in pairs
    )


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1..21 (WCAG 2.1)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def lift(ink: str, towards: str, grounds: tuple[str, ...], least: float = READABLE) -> str:
    """Return the first colour on the way from ``ink`` to another that reads on all grounds."""
    for percent in range(101):
        lifted = mix(towards, ink, percent / 100)
        if all(contrast(lifted, ground) >= least for ground in grounds):
            return lifted
    return towards


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


class TextRole(IntEnum):
    """What a text says about itself; each is an index into ``Tokens.inks``."""

    STRONG = 0
    """What the user acts on: names, current odds, EV."""
    SOFT = 1
    """Secondary facts: fair price, window, headers; an ageing price."""
    NOTE = 2
    """Facts that recede but must be read: limit, age, hold; a stale price."""
    GHOST = 3
    """What may be missed: the dot of no price, disabled things."""
    BEST = 4
    VALUE = 5
    UP = 6
    DOWN = 7
    LIVE = 8
    ACCENT = 9
    DERIVED = 10
    """Fair odds of a line that the reference does not price itself."""
    LAY = 11
    """Odds that can be laid at an exchange."""


class SurfaceRole(IntEnum):
    """What lies under a text; each is an index into ``Tokens.grounds``."""

    PANEL = 0
    REFERENCE = 1
    """The faint tint of the reference bookmaker's columns."""
    RAISED = 2
    """Headers and section rows."""
    BEST = 3
    VALUE = 4
    SELECTED = 5
    WINDOW = 6


_PLAIN = (
    SurfaceRole.PANEL,
    SurfaceRole.REFERENCE,
    SurfaceRole.RAISED,
    SurfaceRole.SELECTED,
    SurfaceRole.WINDOW,
)
PAIRS = {
    TextRole.STRONG: tuple(SurfaceRole),
    TextRole.SOFT: tuple(SurfaceRole),
    TextRole.NOTE: _PLAIN,
    TextRole.BEST: (SurfaceRole.BEST,),
    TextRole.VALUE: (*_PLAIN, SurfaceRole.VALUE),
    TextRole.UP: _PLAIN,
    TextRole.DOWN: _PLAIN,
    TextRole.LIVE: _PLAIN,
    TextRole.ACCENT: _PLAIN,
    TextRole.DERIVED: _PLAIN,
    TextRole.LAY: _PLAIN,
}
"""Which ink may stand on which ground; each pair reads at 4.5:1, hovered too.

A selected row is not tinted again under the pointer.
"""


class Tokens(msgspec.Struct, frozen=True):
    """Every colour of one scheme, opaque ``#rrggbb``."""

    is_dark: bool
    line: str
    edge: str
    """Around a field in a dialog: it shows where one types."""
    hover: str
    """Laid over the ground of the row under the pointer with ``HOVER_SHARE``."""
    accent: str
    up: str
    down: str
    live: str
    """Marks (dots, arrows, bars). For text take the ink of the same name."""
    inks: tuple[str, ...]
    grounds: tuple[str, ...]

    def ink(self, ink: TextRole) -> str:
        """Return the colour of a text."""
        return self.inks[ink]

    def ground(self, ground: SurfaceRole) -> str:
        """Return the colour of a surface."""
        return self.grounds[ground]


HOVERED = tuple(ground for ground in SurfaceRole if ground is not SurfaceRole.SELECTED)
HOVER_SHARE = 0.035
FLASH_SHARE = 0.30
"""Opacity of a movement's flash at its height, over the ground of its cell."""


class _Scheme(msgspec.Struct, frozen=True):
    window: str
    panel: str
    raised: str
    line: str
    selected: str
    strong: str
    soft: str
    ghost: str
    accent: str
    up: str
    down: str
    blind_up: str
    blind_down: str
    best: str
    best_share: float
    blind_best_share: float
    """Mixed from the strong ink: with blue and orange, the best price is grey, not a third hue."""
    value: str
    value_ground: str
    reference_share: float
    live: str
    derived: str
    lay: str


_DARK = _Scheme(
    window="#0f1318", panel="#141920", raised="#1a212a", line="#232b36", selected="#202833",
    strong="#e7ebf1", soft="#9ba7b6", ghost="#66717f",
    accent="#5aa2ff", up="#3fce92", down="#ff6f6f", blind_up="#4da3ff", blind_down="#f5a524",
    best="#7fe6b9", best_share=0.13, blind_best_share=0.18,
    value="#ffd574", value_ground=mix("#f5be3c", "#141920", 0.17),
    reference_share=0.075, live="#ff5263", derived="#b9a2f5", lay="#d8a0b4",
)  # fmt: skip
_LIGHT = _Scheme(
    window="#eef1f5", panel="#ffffff", raised="#f5f7fa", line="#e1e6ec", selected="#e6eef9",
    strong="#18212c", soft="#566373", ghost="#8792a1",
    accent="#1f6feb", up="#0a8a57", down="#cc3a33", blind_up="#1f6feb", blind_down="#b86a00",
    best="#066b43", best_share=0.13, blind_best_share=0.16, value="#7a5200", value_ground="#fff0c2",
    reference_share=0.055, live="#d92c3c", derived="#6a45c4", lay="#9a4a68",
)  # fmt: skip


@cache
def tokens(dark: bool, colour_blind: bool = False) -> Tokens:
    """Return the tokens of a scheme; ``colour_blind`` swaps green and red for blue and orange."""
    scheme = _DARK if dark else _LIGHT
    up = scheme.blind_up if colour_blind else scheme.up
    down = scheme.blind_down if colour_blind else scheme.down
    grounds = (
        scheme.panel,
        mix(scheme.accent, scheme.panel, scheme.reference_share),
        scheme.raised,
        _best_ground(scheme, colour_blind=colour_blind),
        scheme.value_ground,
        scheme.selected,
        scheme.window,
    )
    best = scheme.strong if colour_blind else scheme.best
    wanted = (
        scheme.strong, scheme.soft, scheme.ghost, scheme.ghost, best,
        scheme.value, up, down, scheme.live, scheme.accent, scheme.derived, scheme.lay,
    )  # fmt: skip
    return Tokens(
        is_dark=dark,
        line=scheme.line,
        edge=lift(scheme.line, scheme.strong, (scheme.window, scheme.panel), VISIBLE),
        hover=scheme.strong,
        accent=scheme.accent,
        up=up,
        down=down,
        live=scheme.live,
        inks=tuple(
            lift(ink, scheme.strong, _under(level, grounds, scheme.strong))
            for level, ink in zip(TextRole, wanted, strict=True)
        ),
        grounds=grounds,
    )


def _best_ground(scheme: _Scheme, *, colour_blind: bool) -> str:
    if colour_blind:
        return mix(scheme.strong, scheme.panel, scheme.blind_best_share)
    return mix(scheme.up, scheme.panel, scheme.best_share)


def _under(ink: TextRole, grounds: tuple[str, ...], hover: str) -> tuple[str, ...]:
    used = PAIRS.get(ink, ())
    hovered = [mix(hover, grounds[ground], HOVER_SHARE) for ground in used if ground in HOVERED]
    return (*(grounds[ground] for ground in used), *hovered)
