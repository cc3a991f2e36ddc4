"""Everything that a reader can be asked, of the quotes in ``kit.store``."""

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.reader import Reader
from oddsdesk.store.values import MarketKey, MoveFilter, Visibility
from tests.kit.store import FILTERS, NOW, VISIBILITIES


def ask_everything(reader: Reader) -> None:
    """Ask a reader all that it answers, narrowed in every way and from a cursor on."""
    ident = game_id("EPL", "Home 0 - Away")
    for filters in FILTERS:
        for visibility in VISIBILITIES:
            for ask in (reader.list_games, reader.list_odds, reader.games_as_of, reader.odds_as_of):
                page = ask(NOW, filters, visibility, 1)
                ask(NOW, filters, visibility, 1, page.next_cursor)
            page = reader.list_events(NOW, filters, visibility, 10, 1)
            page = reader.list_value_bets(NOW, filters, visibility, 1, 20, 1)
            reader.list_value_bets(NOW, filters, visibility, 1, 20, 1, page.next_cursor)
            reader.matrix(ident, NOW, visibility)
            reader.matrix_as_of(ident, NOW - 12 * MINUTE_MS, visibility)
            reader.games_as_of(NOW - 12 * MINUTE_MS, filters, visibility, 5)
            reader.odds_as_of(NOW - 12 * MINUTE_MS, filters, visibility, 5)
            for wanted in (MoveFilter(), MoveFilter("total", 0, "Yes", "A", 0, NOW)):
                moves = reader.moves(ident, wanted, visibility, 1)
                page = reader.moves_of_games(filters, wanted, visibility, 1)
                reader.moves_of_games(filters, wanted, visibility, 1, page.next_cursor)
                if moves is not None:
                    reader.moves(ident, wanted, visibility, 1, moves.next_cursor)
            reader.event_detail("Home 0 - Away", NOW, visibility, stale_minutes=20)
    reader.list_sports(NOW)
    reader.list_bookmakers(NOW)
    reader.changes_after(0, 5)
    reader.last_seq()
    priced, gone = (
        Quote("A", "Home 0 - Away", "EPL", "total", 0, odds, NOW) for odds in ({"Yes": 2.0}, {})
    )
    reader.are_in_log([(1, priced), (1, gone)])
    reader.logged(0, 0, 5, 0, NOW)
    reader.all_sources()
    reader.results()
    for visibility in (Visibility(), Visibility(bookmaker="A", live=False)):
        for competition in (None, "EPL"):
            reader.list_results(visibility, 1, competition=competition)
    reader.last_sightings(ident)
    reader.market_prices(1, "total", 0)
    reader.prices_of({MarketKey(1, "total", 0): ["A", "Pinnacle"]})
    reader.games_to_value(NOW - 15 * MINUTE_MS)
    reader.markets_to_value(1)
    reader.bookmakers_that_drew(1, 0, NOW - 60 * MINUTE_MS)
    reader.moneylines_like(1, ["A", "Pinnacle"], NOW - 60 * MINUTE_MS)
    reader.history(ident, "total", 0, "Yes", 0)
    reader.reference_history(ident, [("total", 0, "Yes")], 0)
    reader.silences(0, NOW, 60_000)
    reader.last_scraped_at()
    reader.last_standing(0)
    reader.is_simulated(NOW)
    reader.is_shifted(NOW)
    reader.made_up_among([ident])
    reader.unpriced_reference()
    reader.standing_quotes(NOW, 60 * MINUTE_MS)
    reader.priced_draws(NOW - 60 * MINUTE_MS)


def ask_about_times(reader: Reader) -> None:
    """Ask a reader what looking back asks: only a file has an index for that."""
    ident = game_id("EPL", "Home 0 - Away")
    reader.changes_between(0, NOW, 5)
    reader.log_ends()
    reader.move_counts(NOW - 60 * MINUTE_MS, NOW, 4)
    for back in (False, True):
        reader.next_move(NOW - MINUTE_MS, None, back=back)
        reader.next_move(NOW - MINUTE_MS, ident, back=back)
    reader.largest_move(ident)
    reader.kick_offs(0, NOW, 5)
