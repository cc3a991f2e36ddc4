"""Learning which prices of a game in play are in-play prices: its matrix does not say so."""

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import Matrix
from oddsdesk.board.slices import all_in_play
from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.slices import in_slices


async def learn_in_play(client: Client, board: Board, game_id: str, clock: Clock) -> None:
    """Read the in-play rows of a game's competition, where that is not known of some price.

    Usually needed once: later moves come with the stream, which says so. Plans without in-play
    odds see none, so nothing is asked.
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
