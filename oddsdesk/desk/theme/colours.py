"""Arithmetic on ``#rrggbb`` colours: mixing, contrast, and lifting a text until it can be read."""

READABLE = 4.5
"""The least contrast of text on its ground (WCAG 2.1, 1.4.3)."""


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


def lift(ink: str, towards: str, grounds: tuple[str, ...]) -> str:
    """Return the first colour on the way from ``ink`` to another that reads on all grounds."""
    for percent in range(101):
        lifted = mix(towards, ink, percent / 100)
        if all(contrast(lifted, ground) >= READABLE for ground in grounds):
            return lifted
    return towards


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
