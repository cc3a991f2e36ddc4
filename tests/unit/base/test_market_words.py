"""The names of markets, sports and periods that can be translated are those of the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.base import market_words, places, texts
from oddsdesk.base.market_words import (
    LISTED,
    between_teams,
    market_text,
    period_text,
    searched_selection,
    searched_words,
    selection_order,
    selection_text,
    shown_game,
    typed_selection,
)
from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.contract.competitions import SPORTS, period_label, sport_title
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import MARKET_TYPES, MARKETS

PERIODS = {"Football": 2, "AmericanFootball": 2, "Basketball": 4, "Hockey": 3, "Tennis": 5}


def test_every_market_sport_and_usual_period_is_listed() -> None:
    periods = {
        period_label(sport, period)
        for sport, last in (*PERIODS.items(), ("Baseball", 0))
        for period in range(last + 1)
    }
    numbered = {"Period 2", "Period {number}"}
    titles = {market.title for market in MARKETS.values()}
    sports = {sport_title(sport) for sport in SPORTS}
    assert titles | (periods - numbered) | sports == set(LISTED) - numbered


def test_names_are_english_without_a_language() -> None:
    assert market_text("btts") == "Both teams to score"
    assert market_text("corners") == "corners"
    assert period_text("Football", 1) == "1st Half"
    assert [market_text(each) for each in MARKET_TYPES][:2] == ["Match result", "Handicap"]


CATALOGUE = {
    "Draw": "Unentschieden",
    "No": "Nein",
    "Over {line}": "Über {line}",
    "Home Under {line}": "Heim Unter {line}",
    "Draw {line}": "Unentschieden {line}",
    "{player} Over {line}": "{player} mehr als {line}",
    "{question} Yes": "{question}: Ja",
}


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A German window with a few words of selections, and decimal commas."""
    catalog = pytest.importorskip("babel.messages.catalog").Catalog(locale="de")
    for english, german_text in CATALOGUE.items():
        catalog.add(english, german_text)
    folder = tmp_path / "locale" / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "oddsdesk.mo").open("wb") as file:
        pytest.importorskip("babel.messages.mofile").write_mo(file, catalog)
    monkeypatch.setattr(places, "_root", lambda: tmp_path)
    texts.use_language("de")
    choose_numbers(Style(COMMA))
    market_words._selection_text.cache_clear()
    yield
    texts.use_language("en")
    market_words._selection_text.cache_clear()


SELECTIONS = {
    "Draw": "Unentschieden",
    "No": "Nein",
    "Over 2.5": "Über 2,5",
    "Over 2": "Über 2",
    "Home Under 1.25": "Heim Unter 1,25",
    "Arsenal -0.75": "Arsenal -0,75",
    "Draw -1": "Unentschieden -1",
    "M. Salah shots Over 2.5": "M. Salah shots mehr als 2,5",
    "Overtime Yes": "Overtime: Ja",
    "Draw + Over 2.5": "Unentschieden + Über 2,5",
    "-1.5": "-1,5",
}
KEPT = ("Arsenal", "1X", "12", "Schalke 04", "St. Pauli", "Over the Hill", "No Way FC", "")


def test_selections_are_translated_with_the_chosen_mark(german: None) -> None:
    assert {each: selection_text(each) for each in SELECTIONS} == SELECTIONS
    assert [selection_text(each) for each in KEPT] == list(KEPT)
    choose_numbers(Style())
    assert selection_text("Over 2.5") == "Über 2.5"


def test_a_filter_finds_a_selection_by_both_its_texts(german: None) -> None:
    assert searched_selection("Over 2.5") == "Over 2.5 Über 2,5"
    assert searched_selection("Arsenal") == "Arsenal"


@pytest.fixture(params=["en", "de", "es"])
def own_language(request: pytest.FixtureRequest) -> Iterator[None]:
    """A language that the program has, with decimal commas."""
    texts.use_language(request.param)
    choose_numbers(Style(COMMA))
    yield
    texts.use_language("en")


def test_a_typed_selection_is_kept_in_english(own_language: None) -> None:
    """A bet is settled by its English text, so each one has to come back as it was."""
    templates = (*market_words.SELECTIONS, "{question} Yes", "{question} No")
    about = {"question": "Both teams score"}
    made = {each.format(line=line, **about) for each in templates for line in ("2.5", "-0.75", "3")}
    made |= {*SELECTIONS, *KEPT, "M. Salah shots Under 0.5", "Leeds +1.5", "Home + Under 3.5"}
    assert {each: typed_selection(selection_text(each)) for each in made} == {
        each: each for each in made
    }
    assert {each: typed_selection(each) for each in made} == {each: each for each in made}


@pytest.mark.parametrize(
    ("language", "typed", "kept"),
    [
        ("de", "unter 2.5", "Under 2.5"),
        ("de", " UBER  2,5 ", "Over 2.5"),
        ("de", "U\N{COMBINING DIAERESIS}ber 3", "Over 3"),
        ("de", "Heim Unter 1,25", "Home Under 1.25"),
        ("de", "over 2,5", "over 2.5"),
        ("de", "Leeds \N{MINUS SIGN}0,75", "Leeds -0.75"),
        ("de", "Unentschieden + Über 2,5", "Draw + Over 2.5"),
        ("es", "mas de 2,5", "Over 2.5"),
        ("es", "Saka tiros menos de 0.5", "Saka tiros Under 0.5"),
        ("es", "Sí", "Yes"),
        ("es", "Visitante +1", "Away +1"),
        ("en", "Over 2,5", "Over 2.5"),
        ("en", "Über 2,5", "Über 2.5"),
    ],
)
def test_selections_may_be_typed_with_either_mark(language: str, typed: str, kept: str) -> None:
    texts.use_language(language)
    try:
        assert typed_selection(typed) == kept
    finally:
        texts.use_language("en")


@pytest.mark.parametrize(
    ("language", "typed", "asked"),
    [
        ("de", "dortmund über 2,5 marlin", ("dortmund", "over 2.5", "marlin")),
        ("de", "unter 2", ("under 2",)),
        ("de", "heim unter 1.5", ("heim", "under 1.5")),
        ("de", "über", ("über",)),
        ("es", "saka más de 0,5", ("saka", "over 0.5")),
        ("es", "de 2,5", ("de", "2,5")),
        ("en", "over 2.5 under 3", ("over 2.5", "under 3")),
        ("en", "2.5 over", ("2.5", "over")),
        ("en", "", ()),
    ],
)
def test_a_filter_asks_for_a_side_and_its_line_together(
    language: str, typed: str, asked: tuple[str, ...]
) -> None:
    texts.use_language(language)
    try:
        assert searched_words(typed.split()) == asked
    finally:
        texts.use_language("en")


def test_selections_are_sorted_as_shown(german: None) -> None:
    names = ["Valencia", "Draw", "Over 2.5", "Ulm", "Ýmir", "arsenal"]
    assert sorted(names, key=selection_order) == [
        *("arsenal", "Over 2.5", "Ulm", "Draw", "Valencia", "Ýmir")
    ]


def test_english_selections_stay_but_for_the_mark() -> None:
    for each in (*SELECTIONS, *KEPT):
        assert selection_text(each) is each
    choose_numbers(Style(COMMA))
    changed = {each: each.replace(".", ",") for each in SELECTIONS if "Salah" not in each}
    assert {each: selection_text(each) for each in changed} == changed
    assert selection_text("M. Salah shots Over 2.5") == "M. Salah shots Over 2,5"
    assert [selection_text(each) for each in KEPT] == list(KEPT)


@pytest.mark.parametrize("name", ["PSG vs Lyon", "PSG - Lyon", "PSG v Lyon", "Lyon @ PSG"])
def test_a_game_is_written_as_bookmakers_of_the_country_do(name: str) -> None:
    assert (shown_game(name), shown_game("Final"), shown_game("")) == ("PSG v Lyon", "Final", "")
    for language in ("de", "es"):
        texts.use_language(language)
        try:
            shown = shown_game(name)
            assert (shown, between_teams()) == ("PSG – Lyon", " – ")
            assert teams(shown) == teams(name), "what is shown is read when typed"
        finally:
            texts.use_language("en")


@pytest.mark.parametrize(
    ("code", "english", "german"),
    [
        ("E2", "League One, England", "League One, England"),
        ("SC0", "Premiership, Scotland", "Premiership, Schottland"),
        ("icehockey_liiga", "Liiga (ice hockey)", "Liiga (Eishockey)"),
        ("Liga (Apertura)", "Liga (Apertura)", "Liga (Apertura)"),
        ("EPL", "EPL", "EPL"),
    ],
)
def test_our_titles_of_competitions_are_in_the_language(
    code: str, english: str, german: str
) -> None:
    assert market_words.competition_text(code) == english
    texts.use_language("de")
    try:
        assert market_words.competition_text(code) == german
    finally:
        texts.use_language("en")
