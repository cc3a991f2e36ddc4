"""Which of the games that the service lists a bet by hand is on."""

from collections.abc import Iterable

import msgspec

from oddsdesk.board.games import GameEntry
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games import is_on_listed, teams_of
from oddsdesk.pricing.outcomes import read_selection


def on_listed_game(bet: PlacedBet, games: Iterable[GameEntry]) -> PlacedBet:
    """Return a bet with its game as the service names it: else stakes and closing lines miss it.

    It is the listed one of the same teams, however they are written. The bet is as it was where
    several may be meant, where the competition or kick-off that was typed is another, or where its
    selection could not be read beside that name.
    """
    teams = teams_of(bet.match_name)
    found = [game for game in games if teams_of(game.match_name) == teams and _fits(bet, game)]
    if not bet.match_name or len(found) != 1:
        return bet
    (game,) = found
    return msgspec.structs.replace(
        bet,
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=bet.sport or game.sport,
        kick_off=game.kick_off if bet.kick_off is None else bet.kick_off,
    )


def _fits(bet: PlacedBet, game: GameEntry) -> bool:
    # One that was typed without a kick-off, or whose game has none, goes by the teams alone.
    if not is_on_listed(msgspec.structs.replace(bet, game_id=game.game_id), game):
        return False
    market = bet.market_type
    return not market or read_selection(market, game.match_name, bet.selection) is not None
