"""Bookmakers by their short names and codes, told apart where they stand side by side."""

from oddsdesk.desk.ui.bookmaker_names import BookmakerNames
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.shipped_bookmakers import shipped_profiles

UNIBET = Profile(name="Unibet", group="Unibet", short="Unibet", code="UNI", aliases=("Unibet UK",))
NAMES = BookmakerNames(Profiles([UNIBET]))


def test_a_bookmaker_is_called_as_its_profile_says_under_any_of_its_names() -> None:
    assert NAMES.short("Unibet UK") == "Unibet"
    assert NAMES.code("Unibet UK") == "UNI"


def test_who_has_no_profile_keeps_the_whole_name() -> None:
    assert NAMES.short("Newbook") == NAMES.code("Newbook") == "Newbook"


def test_other_profiles_give_other_names_at_once() -> None:
    names = BookmakerNames(Profiles([UNIBET]))
    assert names.short("Unibet UK") == "Unibet"
    before = names.revision
    names.use(Profiles())
    assert names.short("Unibet UK") == "Unibet UK"
    assert names.revision != before


def test_two_that_share_a_short_name_stand_side_by_side_with_their_whole_ones() -> None:
    assert NAMES.told_apart(["Unibet", "Unibet UK", "Newbook"]) == {
        "Unibet": "Unibet",
        "Unibet UK": "Unibet UK",
        "Newbook": "Newbook",
    }
    assert NAMES.told_apart(["Unibet UK"]) == {"Unibet UK": "Unibet"}


def test_the_program_comes_with_short_names() -> None:
    names = BookmakerNames(shipped_profiles())
    assert names.short("BetOnline.ag") == "BetOnline"
    assert names.code("Betfair Exchange UK") == "BFX"
