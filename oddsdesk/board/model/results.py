"""Results of games as the service reports them: one from each source, and scores in words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from oddsdesk.base.texts import ENGLISH, N_, PSEUDO, _, language, translated
from oddsdesk.contract.competitions import FOOTBALL, ordinal
from oddsdesk.contract.results import ENDED, REGULAR_PERIODS, GameResult, GameStatus

GAME_STATUSES: Final = (
    *(N_("scheduled"), N_("in play"), N_("final"), N_("postponed"), N_("abandoned")),
    *(N_("cancelled"), N_("retired"), N_("unknown")),
)
"""The words of ``GameStatus``; show them ``translated``."""
MOST_HELD: Final = 20_000
"""Most results held; those of the earliest games are dropped first."""
_IN_PLAY_MS: Final = 6 * 60 * 60_000
"""A score in play is shown no longer than this after the kick-off: its source must have stopped."""


class HeldResult(msgspec.Struct, frozen=True):
    """What a source says of a game."""

    game_id: str
    result: GameResult
    before: tuple[GameResult, ...] = ()
    """Earlier results that the source has corrected, the oldest first."""

    @property
    def key(self) -> tuple[int, str, str, str]:
        """What identifies it: a later answer with the same key replaces it."""
        result = self.result
        return result.kick_off, self.game_id, result.source, result.bookmaker


class ResultBook:
    """The results of games; a game may have one from each source."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, str, str, str], HeldResult] = {}
        self._of_game: defaultdict[str, dict[tuple[int, str, str, str], HeldResult]] = defaultdict(
            dict
        )

    def __iter__(self) -> Iterator[HeldResult]:
        return iter(self._held.values())

    def __len__(self) -> int:
        return len(self._held)

    def take_results(self, results: Iterable[HeldResult]) -> frozenset[str]:
        """Take in results and return the ids of the games whose results differ now."""
        changed = set[str]()
        for each in results:
            if self._held.get(each.key) != each:
                self._held[each.key] = self._of_game[each.game_id][each.key] = each
                changed.add(each.game_id)
        if len(self._held) > MOST_HELD:
            for key in sorted(self._held)[: len(self._held) - MOST_HELD]:
                gone = self._held.pop(key)
                del self._of_game[gone.game_id][key]
                if not self._of_game[gone.game_id]:
                    del self._of_game[gone.game_id]
        return frozenset(changed)

    def of_game(self, game_id: str, kick_off: int | None) -> list[GameResult]:
        """Return what the sources say of a game; games of a series share an id."""
        held = self._of_game.get(game_id, {}).values()
        return [
            each.result for each in held if kick_off is None or each.result.begins_about(kick_off)
        ]

    def score_of(self, game_id: str, kick_off: int | None, now_ms: int) -> "GameScore | None":
        """Return how a game stands or ended; None if no source says."""
        visible = [each for each in self.of_game(game_id, kick_off) if _is_shown(each, now_ms)]
        ended = [each for each in visible if each.status in ENDED]
        latest = sorted(ended or visible, key=lambda each: -each.reported_at)
        if not latest:
            return None
        texts = dict.fromkeys(score_text(each) for each in (latest if ended else latest[:1]))
        return GameScore(
            _(" or ").join(filter(None, texts)),
            _stage(latest[0]),
            latest[0].status in ENDED,
            tuple(source_text(each) for each in latest),
            any(each.simulated for each in latest),
        )


class GameScore(msgspec.Struct, frozen=True):
    """How a game stands or ended, in words."""

    score: str
    """``2-1``, home team first; ``2-1 or 1-1`` if sources contradict each other; may be empty."""
    stage: str
    """The period in play, ``final``, ``postponed``; empty if unknown."""
    is_over: bool
    sources: tuple[str, ...]
    """Each source with its score."""
    is_simulated: bool = False

    @property
    def in_words(self) -> str:
        """The score and the stage."""
        return " · ".join(filter(None, (self.score, self.stage)))

    @property
    def explained(self) -> str:
        """The same with the sources, for a tooltip."""
        sources = ", ".join(self.sources)
        if self.is_simulated:
            return _("{score} (simulated): {sources}").format(score=self.in_words, sources=sources)
        return f"{self.in_words}: {sources}"


def score_text(result: GameResult) -> str:
    """Return a score, home team first, with the games of each set in tennis; empty without one."""
    if result.home is None or result.away is None:
        return ""
    score = f"{result.home}-{result.away}"
    if result.sport == _TENNIS and result.periods:
        sets = ", ".join(f"{each.home}-{each.away}" for each in result.periods)
        return f"{score} ({sets})"
    return score


def source_text(result: GameResult) -> str:
    """Return a source with what it says: ``football-data 2-1``."""
    who = result.bookmaker or result.source or _("unknown source")
    status = "" if result.status is GameStatus.FINAL else translated(result.status.words)
    return " ".join(filter(None, (who, score_text(result), status)))


_TENNIS: Final = "Tennis"
_PARTS: Final = {
    FOOTBALL: _("{ordinal} half"),
    _TENNIS: _("{ordinal} set"),
    "AmericanFootball": _("{ordinal} quarter"),
    "AussieRules": _("{ordinal} quarter"),
    "Baseball": _("{ordinal} inning"),
    "Basketball": _("{ordinal} quarter"),
    "Rugby": _("{ordinal} half"),
}


def _is_shown(result: GameResult, now_ms: int) -> bool:
    if result.status in ENDED:
        return result.home is not None or result.status is not GameStatus.FINAL
    is_on = 0 <= now_ms - result.kick_off <= _IN_PLAY_MS
    return result.status is GameStatus.IN_PLAY and is_on and result.home is not None


def _stage(result: GameResult) -> str:
    if result.status is not GameStatus.IN_PLAY:
        return translated(result.status.words)
    if not result.periods:
        return ""
    period = result.periods[-1].period
    if period > REGULAR_PERIODS.get(result.sport, period):
        return _("extra time") if result.sport == FOOTBALL else _("overtime")
    part = _PARTS.get(result.sport, _("{ordinal} period"))
    return part.format(ordinal=ordinal_text(period))


def ordinal_text(number: int) -> str:
    """Return ``1st`` and so on; other languages write ``1.``."""
    return ordinal(number) if language() in (ENGLISH, PSEUDO) else f"{number}."
