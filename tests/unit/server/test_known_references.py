from collections import defaultdict

from oddsdesk.contract.competitions import sport_of
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.sources import expand, read_file
from oddsdesk.pricing.market import Market, Prices, verdicts
from oddsdesk.server.known_references import KnownReferences

TOTALS = Market("total", "A - B", "Football")


def test_rounds_over_the_real_moment_find_what_judging_every_price_finds(shared_data):
    files = expand(str(shared_data / "the-odds-api" / "icehockey*"))
    read = IMPORTERS["the-odds-api"].convert([SourceFile(p.name, read_file(p)) for p in files])
    markets = defaultdict(list)
    for quote in read.quotes:
        market = Market(
            quote.market_type, quote.match_name, sport_of(quote.competition), quote.period
        )
        is_live = bool(quote.is_live)
        prices = Prices(quote.bookmaker, quote.odds, quote.scraped_at, is_live)
        markets[quote.competition, quote.match_date, market].append(prices)
    now = max(quote.scraped_at for quote in read.quotes)
    references, bets = KnownReferences("shin"), 0
    for _ in range(2):
        for place, prices in markets.items():
            by = next((each for each in prices if each.bookmaker == "Pinnacle"), None)
            if by is not None:
                judged = verdicts(place[2], by, prices, now, "shin")
                expected = [each for each in judged if each.verdict.is_value]
                known = references.of(place, place[2], by.odds)
                assert known.value_bets(by, prices, now) == expected
                bets += len(expected)
        references.forget_unasked()
    assert bets > 4


def test_a_reference_is_devigged_again_only_where_it_moved():
    references = KnownReferences("power")
    first = references.of(1, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88})
    assert references.of(1, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88}) is first
    assert references.of(2, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88}) is not first
    moved = references.of(1, TOTALS, {"Over 2.5": 2.0, "Under 2.5": 1.92})
    assert moved.odds == {"Over 2.5": 2.0, "Under 2.5": 1.92}


def test_what_a_whole_round_did_not_ask_for_is_forgotten():
    references, odds = KnownReferences("power"), {"Over 2.5": 2.05, "Under 2.5": 1.88}
    first, other = references.of(1, TOTALS, odds), references.of(2, TOTALS, odds)
    references.forget_unasked()
    assert references.of(1, TOTALS, odds) is first
    references.forget_unasked()
    assert references.of(1, TOTALS, odds) is first
    assert references.of(2, TOTALS, odds) is not other
