"""The grid's filter keeps what a naive reading of it keeps, in either shape of rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Price
from oddsdesk.desk.grid.arrays import EntryArrays, kept
from oddsdesk.desk.grid.book import Entries
from oddsdesk.desk.grid.entries import (
    Comparison,
    Figures,
    GameSelectionKey,
    Judgements,
    PriceEntry,
    SelectionEntry,
    Shape,
    Verdict,
)
from oddsdesk.desk.grid.filter import (
    CompiledFilter,
    GridFilter,
    Range,
    chips,
    facet_choices,
    without,
    words_of,
)

NOW_MS = 1_000_000
NAMES = ("Pinnacle", "Bovada", "Betsson UK", "bet365")
SPORTS = ("Football", "Tennis")
MARKETS = ("moneyline", "total")
PERIODS = ("Full Time", "1st Half")


def freshness(_name, price):
    return Freshness.FRESH if NOW_MS - price.scraped_at < 20_000 else Freshness.STALE


def selection_of(number, sport, market, period, is_live, prices) -> SelectionEntry:
    selection = f"team{number % 3}"
    board = Board(lambda: NOW_MS)
    board.name_reference("Pinnacle")
    made = SelectionEntry(
        comparison=Comparison(board, Judgements()),
        key=GameSelectionKey(f"game {number % 2}", market, PERIODS.index(period), selection),
        match_name="a - b",
        game="a v b",
        competition=sport[:3].upper(),
        sport=sport,
        kick_off=(None, NOW_MS + 1_800_000, NOW_MS + 9_000_000)[number % 3],
        is_live=is_live,
        period_label=period,
        order=(number,),
        text=f"{sport} {market} {selection}".casefold(),
    )
    for place, (bookmaker, (odds, age_ms, ev)) in enumerate(prices.items()):
        price = Price(odds, NOW_MS - age_ms, NOW_MS - age_ms, NOW_MS)
        made.prices[bookmaker] = PriceEntry(made, bookmaker, price, place)
        made.comparison.judged.make_room()
        made.comparison.judged.note_worth(place, None if bookmaker == NAMES[0] else ev, Verdict())
    others = [entry for name, entry in made.prices.items() if name != NAMES[0]]
    best = max(others, key=lambda entry: entry.odds, default=None)
    holds = {name: 2.0 * place for place, name in enumerate(NAMES[1:])}
    made.worked_out = Figures(
        best_names=() if best is None else (best.bookmaker,),
        count=len(others),
        reference_odds=2.0,
        reference_hold=3.0,
        holds=holds,
    )
    return made


prices = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(st.floats(1.1, 9), st.integers(0, 60_000), st.none() | st.floats(-20, 20)),
    max_size=4,
)
selections = st.lists(
    st.builds(
        selection_of,
        st.integers(0, 5),
        st.sampled_from(SPORTS),
        st.sampled_from(MARKETS),
        st.sampled_from(PERIODS),
        st.booleans(),
        prices,
    ),
    max_size=5,
)
ranges = st.builds(Range, st.none() | st.floats(-5, 3), st.none() | st.floats(2, 9))
filters = st.builds(
    GridFilter,
    words=st.lists(st.sampled_from(["team1", "bet", "foot", "uk", "x"]), max_size=2).map(tuple),
    sports=st.frozensets(st.sampled_from(SPORTS), max_size=1),
    competitions=st.frozensets(st.sampled_from(["FOO", "TEN"]), max_size=1),
    markets=st.frozensets(st.sampled_from(MARKETS), max_size=1),
    periods=st.frozensets(st.sampled_from(PERIODS), max_size=1),
    bookmakers=st.frozensets(st.sampled_from(["Pinnacle", "Bovada", "bet365"]), max_size=2),
    is_live=st.none() | st.booleans(),
    odds=ranges,
    ev=ranges,
    hold=ranges,
    kick_off=ranges,
    seen_within_s=st.none() | st.sampled_from([15, 30]),
    freshness=st.none() | st.just(Freshness.FRESH),
)


def naive(chosen: GridFilter, entry) -> bool:
    """The filter as its docstrings say it, one question after the other."""
    held, price = entry.selection, entry.price
    figures = (chosen.odds, chosen.ev, chosen.hold)
    figure_asked = not all(figure.is_unbounded for figure in figures) or (
        chosen.seen_within_s is not None or chosen.freshness is not None
    )
    if price is None and figure_asked:
        return False
    name = entry.bookmaker.casefold()
    return (
        all(word in held.text or word in name for word in chosen.words)
        and (not chosen.sports or held.sport in chosen.sports)
        and (not chosen.competitions or held.competition in chosen.competitions)
        and (not chosen.markets or held.key.market_type in chosen.markets)
        and (not chosen.periods or held.period_label in chosen.periods)
        and _is_by_chosen(chosen, entry)
        and chosen.is_live in (None, held.is_live)
        and (price is None or chosen.odds.holds(price.odds))
        and (price is None or chosen.ev.holds(entry.ev))
        and (price is None or chosen.hold.holds(entry.hold))
        and chosen.kick_off.holds(
            None if held.kick_off is None else (held.kick_off - NOW_MS) / 3_600_000
        )
        and (
            chosen.seen_within_s is None or NOW_MS - price.scraped_at <= chosen.seen_within_s * 1000
        )
        and (chosen.freshness is None or freshness(name, price) <= chosen.freshness)
    )


def _is_by_chosen(chosen, entry):
    if not chosen.bookmakers:
        return True
    if isinstance(entry, SelectionEntry):
        return entry.figures.count > 0
    return entry.bookmaker in chosen.bookmakers


def rows_of(selections, shape) -> EntryArrays:
    """The rows of selections as the grid numbers them."""
    rows = {Shape.SELECTIONS: Entries()}
    rows[Shape.PRICES] = Entries(rows[Shape.SELECTIONS])
    judged = rows[Shape.PRICES].judged
    for held in selections:
        rows[Shape.SELECTIONS].add_entry(held)
        evs = [entry.ev for entry in held.prices.values()]
        for entry, ev in zip(held.prices.values(), evs, strict=True):
            rows[Shape.PRICES].add_entry(entry)
            judged.note_worth(entry.number, ev, Verdict())
        held.comparison.judged = judged
    return EntryArrays(rows[shape])


@given(selections=selections, chosen=filters, shape=st.sampled_from(Shape))
def test_it_keeps_what_a_naive_reading_keeps(selections, chosen, shape):
    every = (
        selections
        if shape is Shape.SELECTIONS
        else [entry for held in selections for entry in held.prices.values()]
    )
    compiled = CompiledFilter(chosen, shape, NOW_MS, freshness)
    wanted = [entry for entry in every if naive(chosen, entry)]
    rows = rows_of(selections, shape)
    assert [rows.entries[number] for number in kept(rows, compiled).nonzero()[0]] == wanted
    assert [entry for entry in every if compiled.keeps(entry)] == wanted


@given(selections=selections, chosen=filters)
def test_asking_for_less_never_keeps_fewer(selections, chosen):
    rows = rows_of(selections, Shape.PRICES)
    strict = kept(rows, CompiledFilter(chosen, Shape.PRICES, NOW_MS, freshness))
    for facet, _text in chips(chosen):
        looser = CompiledFilter(without(chosen, facet), Shape.PRICES, NOW_MS, freshness)
        assert (strict <= kept(rows, looser)).all()


@given(chosen=filters)
def test_removing_every_chip_and_the_words_leaves_nothing_active(chosen):
    for facet, text in chips(chosen):
        assert text
        chosen = without(chosen, facet)
    assert without(chosen, "words").shows_all


@pytest.mark.parametrize(
    ("chosen", "texts"),
    [
        (GridFilter(), []),
        (GridFilter(sports=frozenset({"Tennis"})), ["Tennis"]),
        (GridFilter(sports=frozenset({"AmericanFootball"})), ["American football"]),
        (GridFilter(competitions=frozenset({"EPL", "E2"})), ["EPL, League One, England"]),
        (GridFilter(markets=frozenset({"btts", "total"})), ["Both teams to score, Total"]),
        (GridFilter(bookmakers=frozenset("dbca")), ["a + 3 more"]),
        (GridFilter(is_live=True), ["In play"]),
        (GridFilter(odds=Range(1.5, 2.5)), ["Odds 1.50 – 2.50"]),
        (GridFilter(ev=Range(1.0, None)), ["EV ≥ +1.0 %"]),
        (GridFilter(ev=Range(None, -2.0)), ["EV ≤ −2.0 %"]),
        (GridFilter(hold=Range(None, 3.0)), ["Hold ≤ 3 %"]),
        (GridFilter(kick_off=Range(0, 0.25)), ["Starts within 15 min"]),
        (GridFilter(kick_off=Range(1, 72)), ["Starts in 1 h – 3 d"]),
        (GridFilter(seen_within_s=300), ["Seen within 5 min"]),
        (GridFilter(freshness=Freshness.AGEING), ["Fresh or ageing"]),
        (GridFilter(derived="implied"), ["Derived: implied only"]),
        (GridFilter(derived="none"), ["Derived: none"]),
    ],
)
def test_chips_say_what_is_active(chosen, texts):
    assert [text for _facet, text in chips(chosen)] == texts


def test_competitions_are_offered_by_their_names_and_filtered_by_their_codes():
    selections = [selection_of(n, "Tennis", "total", "Full Time", False, {}) for n in range(2)]
    selections[0].competition = "soccer_england_league1"
    assert facet_choices(selections, "competitions") == [
        ("soccer_england_league1", "League One, England"),
        ("TEN", "TEN"),
    ]


def test_words_are_folded_and_split():
    assert words_of("  Bet365  LIVERPOOL ") == ("bet365", "liverpool")


def test_a_side_and_its_line_are_looked_for_together():
    chosen = GridFilter(words=words_of("Over 2,5 Bovada -0,75 a,b"))
    compiled = CompiledFilter(chosen, Shape.PRICES, NOW_MS, freshness)
    assert compiled.words == ("over 2.5", "bovada", "-0.75", "a,b")
