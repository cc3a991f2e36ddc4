"""How games ended is kept beside their prices, and found whatever their names are."""

from collections.abc import Callable

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.pricing.selections import Goals, Score
from oddsdesk.store.store import Store
from tests.kit.store import NOW

KICK_OFF = NOW + 3_600_000
DAY = 24 * 3_600_000


def halves(first: Goals, second: Goals) -> tuple[PeriodScore, ...]:
    return PeriodScore(1, *first), PeriodScore(2, *second)


def test_a_game_has_the_result_that_was_told_last(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    for home in (0, 2):
        said = GameResult(
            "LIG1", "PSG - Lyon", KICK_OFF, home, 1, halves(Goals(0, 1), Goals(home, 0))
        )
        every_store.record_results([said]).result(10)
    (score,) = every_store.reader().scores().values()
    assert score == Score(Goals(2, 1), Goals(0, 1))


def test_a_result_is_of_the_day_that_it_was_told_of(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    results = [
        GameResult("LIG1", "PSG - Lyon", KICK_OFF + 7 * DAY, 4, 4),
        GameResult("EPL", "PSG - Lyon", KICK_OFF, 3, 3),
        GameResult("LIG1", "Lyon - PSG", KICK_OFF, 2, 2),
    ]
    every_store.record_results(results).result(10)
    assert every_store.reader().scores() == {}


def test_a_game_has_the_result_that_is_told_under_another_of_its_names(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    names = {"competition": "EPL", "odds": {"Arsenal": 1.5}}
    every_store.record([quote(match_name="Arsenal vs Man United", **names)]).result(10)
    other = "Arsenal - Manchester United"
    every_store.record([quote("bwin", match_name=other, **names)]).result(10)
    every_store.record_results(
        [GameResult("EPL", other, KICK_OFF, 3, 1, halves(Goals(2, 0), Goals(1, 1)))]
    ).result(10)
    (score,) = every_store.reader().scores().values()
    assert score == Score(Goals(3, 1), Goals(2, 0))


def test_a_market_was_last_seen_when_it_was_read_again_without_a_move(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    every_store.record([quote(scraped_at=NOW + 60_000)]).result(10)
    reader = every_store.reader()
    (game,) = {change.game_id for change in reader.changes_after(0, 10)}
    assert reader.last_sightings(game) == {("Bet365", "moneyline", 0): [NOW + 60_000]}
    every_store.record([quote(scraped_at=NOW + 90_000, is_live=True)]).result(10)
    times = [NOW + 60_000, NOW + 90_000]
    assert reader.last_sightings(game) == {("Bet365", "moneyline", 0): times}
