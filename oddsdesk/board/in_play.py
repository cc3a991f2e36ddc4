"""Learning which prices of a game in play are: the game matrix does not say it."""

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import Matrix
from oddsdesk.board.slices import all_in_play
from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.slices import in_slices


async def learn_in_play(client: Client, board: Board, game_id: str, clock: Clock) -> None:
    """Ask which rows of a game's competition are in play, where a price is not known to be.

    That is once, as a rule: what moves later is told by the stream. A plan without in-play odds
    shows none, so there is nothing to ask.
    """
    matrix = board.matrix(game_id)
    if matrix is None or not matrix.is_live or board.connection.has_live is not True:
        return
    if not _has_unstated(matrix):
        return
    asked_at, name = clock(), matrix.match_name
    rows, is_whole = await all_in_play(client, matrix.competition)
    await in_slices(board.merge_rows([row for row in rows if row.match_name == name], asked_at))
    if is_whole:
        board.mark_not_in_play(game_id)


def _has_unstated(matrix: Matrix) -> bool:
    return any(
        price is not None and price.is_live is None and price.is_offered
        for section in matrix.sections
        for row in section.rows
        for price in (row.reference, *row.prices.values())
    )
