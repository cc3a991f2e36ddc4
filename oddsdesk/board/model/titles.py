"""Ordinals and the statuses of games in the reader's language."""

from typing import Final

from oddsdesk.base.texts import ENGLISH, N_, PSEUDO, language
from oddsdesk.contract.competitions import ordinal

GAME_STATUSES: Final = (
    *(N_("scheduled"), N_("in play"), N_("final"), N_("postponed"), N_("abandoned")),
    *(N_("cancelled"), N_("retired"), N_("unknown")),
)
"""The words of ``GameStatus``; show them ``translated``."""


def ordinal_text(number: int) -> str:
    """Return ``1st`` and so on; other languages write ``1.``."""
    return ordinal(number) if language() in (ENGLISH, PSEUDO) else f"{number}."
