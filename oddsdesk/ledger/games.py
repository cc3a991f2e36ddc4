"""Which bets are on one game, however its name is spelled."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from oddsdesk.contract.identity import teams, without_date
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.matching.team_names import fold_team

_Fixture = tuple[str, ...]
"""The teams, and the minute of the kick-off."""


class GamesOfBets:
    """The games of bets: the same teams at the same minute are one, whichever is named first.

    What is typed or imported has the id of its own spelling (D6), ``A - B`` beside the ``A vs B``
    of a feed. Ids of one spelling, or of two competitions, stay games apart.
    """

    def __init__(self, bets: Iterable[PlacedBet]) -> None:
        listed = defaultdict[_Fixture, list[PlacedBet]](list)
        for bet in bets:
            if bet.game_id and (fixture := _fixture(bet)) is not None:
                listed[fixture].append(bet)
        self._same: dict[str, frozenset[str]] = {}
        self._of_fixture: dict[_Fixture, str] = {}
        for fixture, on_it in listed.items():
            if _is_one(on_it):
                ids = {bet.game_id for bet in on_it}
                joined = frozenset(ids).union(*(self._same.get(each, ()) for each in ids))
                self._same |= dict.fromkeys(joined, joined)
                self._of_fixture[fixture] = on_it[0].game_id

    def ids(self, bet: PlacedBet) -> frozenset[str]:
        """Return all ids that bets have of a bet's game, its own among them."""
        return self._same.get(bet.game_id) or frozenset({bet.game_id})

    def of(self, bet: PlacedBet) -> str | None:
        """Return what bets on one game share; None where nobody tells."""
        if bet.game_id:
            return min(self.ids(bet))
        fixture = _fixture(bet)
        if fixture is None:
            return None
        found = self._of_fixture.get(fixture)
        return " ".join(fixture) if found is None else min(self._same[found])


def _fixture(bet: PlacedBet) -> _Fixture | None:
    if not bet.match_name or bet.kick_off is None:
        return None
    return (*teams_of(bet.match_name), str(bet.kick_off // MINUTE_MS))


@lru_cache(maxsize=1 << 14)
def teams_of(match_name: str) -> tuple[str, ...]:
    """Return the teams of a name, the same of each way to write it and whichever is first."""
    pair = teams(match_name)
    return (match_name.casefold(),) if pair is None else tuple(sorted(map(fold_team, pair)))


def _is_one(bets: Iterable[PlacedBet]) -> bool:
    """Whether bets on the same teams at one minute are on one game."""
    spelled = {
        (without_date(bet.match_name).casefold(), bet.competition.casefold(), bet.game_id)
        for bet in bets
    }
    competitions = {competition for _, competition, _ in spelled} - {""}
    return len(competitions) <= 1 and len(spelled) == len({each[:2] for each in spelled})
