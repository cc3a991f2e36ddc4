"""Who listens to the stream and for what; found by a change without asking each of them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from oddsdesk.contract.competitions import sport_of
from oddsdesk.store.keys import Caller
from oddsdesk.store.values import Change

CHANNEL: Final = "oddsdesk.channel"
"""The extension of the ASGI scope that holds the connection itself, a ``Channel``."""


class Channel(Protocol):
    """A connection that takes whole frames."""

    @property
    def backlog(self) -> int:
        """Bytes that wait for the client."""

    @property
    def offered_bytes(self) -> int:
        """Bytes of all frames that were taken."""

    @property
    def ended(self) -> tuple[int, str] | None:
        """Its close code, and who closed and why; None of what never was a stream."""

    def offer(self, frames: bytes) -> bool:
        """Write frames without waiting; False where the client has fallen too far behind."""

    def close(self, code: int, reason: str) -> None:
        """Close after all frames that were offered."""


class Interest(NamedTuple):
    """What a subscriber asked for and may see; equal ones are sent the same bytes."""

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    game_id: str | None = None
    live: bool = True


class Subscriber(msgspec.Struct, frozen=True, eq=False):
    """A connection, what it wants, and whose it is."""

    channel: Channel
    interest: Interest
    caller: Caller


class _Shape(NamedTuple):
    """Which fields of an interest are set: of these there are few, however many interests."""

    sport: bool
    competition: bool
    bookmaker: bool
    game_id: bool
    live: bool


def _shape(interest: Interest) -> _Shape:
    return _Shape(
        interest.sport is not None,
        interest.competition is not None,
        interest.bookmaker is not None,
        interest.game_id is not None,
        interest.live,
    )


class Subscribers:
    """All subscribers, by interest; truthy while there are any."""

    def __init__(self) -> None:
        self._by_interest: dict[Interest, set[Subscriber]] = defaultdict(set)
        self._shapes: Counter[_Shape] = Counter()

    def __iter__(self) -> Iterator[Subscriber]:
        return iter([each for group in self._by_interest.values() for each in group])

    def __len__(self) -> int:
        return sum(len(group) for group in self._by_interest.values())

    def __bool__(self) -> bool:
        return bool(self._by_interest)

    def add(self, subscriber: Subscriber) -> None:
        """Take one in."""
        if subscriber.interest not in self._by_interest:
            self._shapes[_shape(subscriber.interest)] += 1
        self._by_interest[subscriber.interest].add(subscriber)

    def discard(self, subscriber: Subscriber) -> None:
        """Leave one out, if it is there."""
        group = self._by_interest.get(subscriber.interest, set())
        if subscriber not in group:
            return
        group.remove(subscriber)
        if not group:
            del self._by_interest[subscriber.interest]
            self._shapes -= Counter((_shape(subscriber.interest),))

    def clear(self) -> None:
        """Leave all out."""
        self._by_interest.clear()
        self._shapes.clear()

    def of(self, interest: Interest) -> set[Subscriber]:
        """Return who has an interest."""
        return self._by_interest.get(interest, set())

    @property
    def ask_for_games(self) -> bool:
        """Whether somebody wants a single game."""
        return any(shape.game_id for shape in self._shapes)

    def interests_in(
        self, change: Change, merged_ids: Mapping[str, Sequence[str]]
    ) -> Iterator[Interest]:
        """Yield the interests that somebody has and that a change meets.

        ``merged_ids``: by a game's id, the ids of games that became part of it (D69).
        """
        games = (change.game_id, *merged_ids.get(change.game_id, ()))
        for sport, competition, bookmaker, game_id, live in self._shapes:
            if change.is_live and not live:
                continue
            for game in games if game_id else (None,):
                interest = Interest(
                    sport_of(change.competition) if sport else None,
                    change.competition if competition else None,
                    change.bookmaker if bookmaker else None,
                    game,
                    live,
                )
                if interest in self._by_interest:
                    yield interest
