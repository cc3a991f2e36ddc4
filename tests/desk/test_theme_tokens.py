"""Colours can be read wherever they are used, in every scheme."""

import pytest

from oddsdesk.desk.theme.colours import READABLE, contrast, lift, mix
from oddsdesk.desk.theme.tokens import (
    FLASH_SHARE,
    HOVER_SHARE,
    HOVERED,
    PAIRS,
    Ground,
    Ink,
    Tokens,
    tokens,
)

SCHEMES = [tokens(dark, blind) for dark in (True, False) for blind in (True, False)]
SCHEME_IDS = [f"{'dark' if t.is_dark else 'light'}-{t.up}" for t in SCHEMES]


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
@pytest.mark.parametrize("ink", list(PAIRS))
def test_every_ink_reads_on_every_ground_it_is_used_on(scheme: Tokens, ink: Ink) -> None:
    for ground in PAIRS[ink]:
        assert contrast(scheme.ink(ink), scheme.ground(ground)) >= READABLE, ground.name
        if ground in HOVERED:
            hovered = mix(scheme.hover, scheme.ground(ground), HOVER_SHARE)
            assert contrast(scheme.ink(ink), hovered) >= READABLE, f"{ground.name} hovered"


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
@pytest.mark.parametrize("ground", [g for g in Ground if g is not Ground.WINDOW])
def test_a_price_reads_at_the_height_of_its_flash(scheme: Tokens, ground: Ground) -> None:
    for movement in (scheme.up, scheme.down):
        flash = mix(movement, scheme.ground(ground), FLASH_SHARE)
        assert contrast(scheme.ink(Ink.STRONG), flash) >= READABLE


def test_every_ink_but_the_ghost_has_its_grounds() -> None:
    assert set(Ink) - set(PAIRS) == {Ink.GHOST}


@pytest.mark.parametrize("dark", [True, False])
def test_the_colour_blind_pair_replaces_green_and_red(dark: bool) -> None:
    plain, blind = tokens(dark), tokens(dark, colour_blind=True)
    assert (plain.up, plain.down) != (blind.up, blind.down)
    assert plain.ground(Ground.BEST) != blind.ground(Ground.BEST)
    assert plain.ink(Ink.STRONG) == blind.ink(Ink.STRONG)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_lifting_leaves_what_reads_already() -> None:
    assert lift("#101010", "#000000", ("#ffffff",)) == "#101010"
    assert contrast(lift("#999999", "#000000", ("#ffffff",)), "#ffffff") >= READABLE
