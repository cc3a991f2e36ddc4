import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing import market as market_module
from oddsdesk.pricing.devig import DevigError
from oddsdesk.pricing.market import (
    Market,
    Prices,
    ReferenceMarket,
    reference_lines,
    value_bets,
    verdicts,
)
from oddsdesk.pricing.rules import Rule

NOW = 1_000_000_000_000
MINUTES = 60_000
TOTALS = Market("total", "Arsenal vs Chelsea", "Football")
RESULT = Market("moneyline", "Arsenal vs Chelsea", "Football")
HOCKEY = Market("moneyline", "Arsenal vs Chelsea", "Hockey")
SPREAD = Market("spread", "Arsenal vs Chelsea", "Football")


def prices(bookmaker: str, odds: dict[str, float], *, age: int = 0, live: bool = False) -> Prices:
    return Prices(bookmaker, odds, NOW - age, live)


def test_each_line_group_has_its_own_margin() -> None:
    row = {"Over 2.5": 2.05, "Under 2.5": 1.88, "Over 3.5": 3.4, "Under 3.5": 1.34, "Over 4.5": 7}
    lines = reference_lines(TOTALS, prices("Pinnacle", row))
    assert lines["2.5"].overround == pytest.approx(1 / 2.05 + 1 / 1.88)
    assert lines["3.5"].overround == pytest.approx(1 / 3.4 + 1 / 1.34)
    assert lines["4.5"].overround is None


def test_lines_are_compared_by_meaning_not_by_spelling() -> None:
    reference = prices("Pinnacle", {"Arsenal +0": 2.05, "Chelsea -0": 1.88})
    (found,) = value_bets(SPREAD, reference, [prices("bwin", {"Arsenal 0": 2.15})], NOW)
    assert (found.bookmaker, found.selection, found.line_key) == ("bwin", "Arsenal 0", "0")
    assert found.verdict.reference_odds == 2.05


def test_a_book_with_a_draw_is_not_compared_with_a_reference_without() -> None:
    reference = prices("Pinnacle", {"Arsenal": 2.05, "Chelsea": 1.88})
    three_way = prices("bwin", {"Arsenal": 2.15, "Draw": 4.0, "Chelsea": 2.0})
    assert value_bets(HOCKEY, reference, [three_way], NOW) == []
    stopped = [
        judged.verdict.stopped_by for judged in verdicts(HOCKEY, reference, [three_way], NOW)
    ]
    assert [check.rule for check in stopped[0]] == [Rule.COMPARABLE]
    two_way = prices("bwin", {"Arsenal": 2.15})
    assert len(value_bets(HOCKEY, reference, [two_way], NOW)) == 1


def test_prices_that_the_reference_does_not_give_are_explained() -> None:
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    book = prices("bwin", {"Over 3.5": 3.2, "Odd": 1.9})
    judged = list(verdicts(TOTALS, reference, [book], NOW))
    assert [(j.selection, j.line_key) for j in judged] == [("Over 3.5", "3.5"), ("Odd", "Odd ?")]
    for each in judged:
        assert [check.rule for check in each.verdict.stopped_by] == [Rule.REFERENCE_SIDES]


def test_the_references_own_price_is_never_value_even_under_the_published_formula() -> None:
    odds = {"Over 2.5": 1.95, "Under 2.5": 1.88}
    books = [prices("Pinnacle", odds), prices("bwin", odds)]
    found = value_bets(TOTALS, books[0], books, NOW, "published")
    assert {judged.bookmaker for judged in found} == {"bwin"}


def test_a_price_at_the_least_edge_is_found() -> None:
    """From 2.13434604 on EV is 1 % (the window of 2.05 against 1.88)."""
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    books = [prices("below", {"Over 2.5": 2.134346}), prices("above", {"Over 2.5": 2.134347})]
    found = value_bets(TOTALS, reference, books, NOW)
    assert [judged.bookmaker for judged in found] == ["above"]


def test_an_unknown_method_is_refused() -> None:
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    with pytest.raises(DevigError, match="unknown method"):
        value_bets(TOTALS, reference, [], NOW, "wisdom")


_SIDES = {
    TOTALS: ["Over 2.5", "Under 2.5", "Over 3", "Under 3", "Odd"],
    TOTALS._replace(sport="Hockey"): ["Over 2.5", "Under 2.5"],
    RESULT: ["Arsenal", "Draw", "Chelsea", "Odd"],
    HOCKEY: ["Arsenal", "Draw", "Chelsea", "Odd"],
    SPREAD: ["Arsenal +0", "Chelsea 0", "Arsenal 0", "Arsenal -1", "Chelsea +1"],
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Market, Prices, list[Prices]]:
    market = draw(st.sampled_from(list(_SIDES)))
    base = {side: draw(st.floats(1.5, 4.0)) for side in _SIDES[market]}
    if draw(st.booleans()):  # bring the margin near to nothing, where value bets are
        total = sum(1 / base[side] for side in _SIDES[market][:2])
        base = {side: max(1.01, odds * total / 1.01) for side, odds in base.items()}
    ages = st.sampled_from([0, 15 * MINUTES, 15 * MINUTES + 1])
    named = st.sampled_from(_SIDES[market])

    def quoted(bookmaker: str) -> Prices:
        sides = draw(st.lists(named, unique=True, min_size=1))
        nudge = st.floats(1.0, 1.12)
        odds = {side: base[side] * draw(nudge) for side in sides}
        found = prices(bookmaker, odds, age=draw(ages), live=draw(st.booleans()))
        overtime = draw(st.sampled_from([None, True, False]))
        return found._replace(had_draw=draw(st.booleans()), has_overtime=overtime)

    missing = draw(st.lists(named, unique=True, max_size=1))
    sharp = {side: odds for side, odds in base.items() if side not in missing}
    reference = prices("Pinnacle", sharp, age=draw(ages), live=draw(st.booleans()))
    reference = reference._replace(has_overtime=draw(st.sampled_from([None, True, False])))
    return market, reference, [quoted(name) for name in ("bwin", "Betano", "Pinnacle")]


@given(cases(), st.sampled_from(["margin_proportional", "published", "power", "shin"]))
def test_the_fast_path_finds_what_the_explained_path_finds(
    case: tuple[Market, Prices, list[Prices]], method: str
) -> None:
    market, reference, books = case
    explained = list(verdicts(market, reference, books, NOW, method))
    assert len(explained) == sum(len(book.odds) for book in books)
    found = value_bets(market, reference, books, NOW, method)
    assert found == [judged for judged in explained if judged.verdict.is_value]


@given(cases(), st.sampled_from(["margin_proportional", "power"]))
def test_what_is_remembered_of_a_reference_changes_no_answer(
    case: tuple[Market, Prices, list[Prices]], method: str
) -> None:
    market, reference, books = case
    known = ReferenceMarket(market, reference.odds, method)
    for seen in (reference, reference._replace(is_live=not reference.is_live, scraped_at=NOW)):
        for some in (books[1:], [], books):
            assert known.value_bets(seen, some, NOW) == [
                judged
                for judged in verdicts(market, seen, some, NOW, method)
                if judged.verdict.is_value
            ]


def test_spellings_without_end_are_not_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(market_module, "_MOST_TEXTS", 20)
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    known = ReferenceMarket(TOTALS, reference.odds, "margin_proportional")
    odd = {f"Exactly {goals}": 9.0 for goals in range(100)}
    books = [prices("odd", odd), prices("bwin", {"over 2.50": 2.15})]
    for _ in range(2):
        found = known.value_bets(reference, books, NOW)
        assert [judged.selection for judged in found] == ["over 2.50"]
    assert len(known._least) == 20


def test_a_crossed_reference_values_nothing() -> None:
    """5.0 against 1.2658 is S = 0.99: any price near would be value (D50)."""
    market = Market("moneyline", "A vs B", "Tennis")
    crossed = Prices("Pinnacle", {"A": 5.0, "B": 1.2658}, NOW, False)
    book = Prices("Book", {"A": 5.2, "B": 1.3}, NOW, False)
    assert value_bets(market, crossed, [book], NOW) == []
    assert not any(each.verdict.is_value for each in verdicts(market, crossed, [book], NOW))


LEAGUE = Market("moneyline", "Storm vs Raiders", "Rugby")
LEAGUE_REFERENCE = prices("Pinnacle", {"Storm": 1.80, "Raiders": 2.08})
LEAGUE_BOOK = prices("Book", {"Storm": 1.91, "Raiders": 2.2})
GOALS = Market("total", "Rangers vs Devils", "Hockey")


@pytest.mark.parametrize("draw", ["Nul", "Remis", "Empate", "Neither", "Uafgjort"])
def test_a_draw_read_or_unread_makes_three_ways_of_two_teams(draw: str) -> None:
    """{"Storm": 1.91, "Nul": 21, "Raiders": 2.2} against 1.80/2.08 gave +1.63 % (D48)."""
    book = prices("Book", {"Storm": 1.91, draw: 21.0, "Raiders": 2.2})
    assert value_bets(LEAGUE, LEAGUE_REFERENCE, [book], NOW) == []
    stopped = [j.verdict.stopped_by for j in verdicts(LEAGUE, LEAGUE_REFERENCE, [book], NOW)]
    assert [check.rule for check in stopped[0]] == [Rule.COMPARABLE]
    assert len(value_bets(LEAGUE, LEAGUE_REFERENCE, [LEAGUE_BOOK], NOW)) == 1


@pytest.mark.parametrize("is_books", [True, False])
def test_an_unread_selection_beside_over_and_under_is_not_compared(is_books: bool) -> None:
    """With exactly 3 apart, over and under 3 are two of three ways (D48)."""
    two = {"Over 2.5": 2.05, "Under 2.5": 1.88}
    reference = prices("Pinnacle", two if is_books else {**two, "Exactly 3": 4.0})
    book = {"Over 2.5": 2.15, "Under 2.5": 1.7}
    books = [prices("Book", {**book, "Exactly 3": 4.0} if is_books else book)]
    assert value_bets(TOTALS, reference, books, NOW) == []


def test_answers_to_different_questions_are_not_compared() -> None:
    """F3.13: Yes at one and Yes at the other may be of two questions."""
    market = Market("yes_no", "Arsenal vs Chelsea", "Football")

    def answers(question: str, yes: float, no: float) -> dict[str, float]:
        return {f"{question} Yes".strip(): yes, f"{question} No".strip(): no}

    for mine, theirs, count in (
        ("Overtime", "Overtime", 1),
        ("Overtime", "Own goal", 0),
        ("Overtime", "", 0),
        ("", "", 0),
    ):
        reference = prices("Pinnacle", answers(mine, 2.05, 1.88))
        book = prices("Book", answers(theirs, 2.15, 1.7))
        assert len(value_bets(market, reference, [book], NOW)) == count, (mine, theirs)


def test_a_prop_beside_one_that_says_nothing_is_compared() -> None:
    """Selections of a prop speak of many players: none is a missing side of another."""
    props = Market("player_prop", "Arsenal vs Chelsea", "Football")
    reference = prices("Pinnacle", {"Saka shots Over 2.5": 1.91, "Saka shots Under 2.5": 1.91})
    book = prices("Book", {"Saka shots Over 2.5": 2.12, "Palmer to be booked": 4.0})
    assert len(value_bets(props, reference, [book], NOW)) == 1


@pytest.mark.parametrize("is_books", [True, False])
def test_who_gave_a_draw_lately_is_not_two_way_without_it(is_books: bool) -> None:
    reference = LEAGUE_REFERENCE._replace(had_draw=not is_books)
    book = LEAGUE_BOOK._replace(had_draw=is_books)
    assert value_bets(LEAGUE, reference, [book], NOW) == []


@pytest.mark.parametrize(
    ("market", "line", "otherwise"),
    [
        (GOALS, 5.5, True),
        (GOALS._replace(period=1), 5.5, False),
        (GOALS._replace(sport="Football"), 5.5, False),
        (GOALS._replace(market_type="team_total"), 2.5, True),
        (GOALS._replace(market_type="spread"), 0.5, True),
        (GOALS._replace(market_type="spread"), 1.5, False),
    ],
)
def test_goals_with_and_without_overtime_are_not_compared(
    market: Market, line: float, otherwise: bool
) -> None:
    """D49: all 3 hockey bets of the real moment were false."""
    texts = {
        "total": (f"Over {line}", f"Under {line}"),
        "team_total": (f"Home Over {line}", f"Home Under {line}"),
        "spread": (f"Rangers -{line}", f"Devils +{line}"),
    }[market.market_type]
    reference = prices("Pinnacle", dict(zip(texts, (2.05, 1.88), strict=True)))
    book = prices("Book", dict(zip(texts, (2.15, 1.7), strict=True)))
    for mine, other in ((True, False), (False, True), (True, True), (None, True), (False, None)):
        found = value_bets(
            market,
            reference._replace(has_overtime=other),
            [book._replace(has_overtime=mine)],
            NOW,
        )
        is_apart = otherwise and None not in (mine, other) and mine != other
        assert (found == []) == is_apart, (mine, other)
