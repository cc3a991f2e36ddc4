"""What of all that rules find is sent, and a list of that and of what was held back and why."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime, time
from enum import Enum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from oddsdesk.board.alerts.rules import Policy
from oddsdesk.board.matrix import RowKey
from oddsdesk.clock import Clock
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.formats import format_odds

HOUR_MS: Final = 60 * MINUTE_MS
_REMEMBERED_MS: Final = 24 * HOUR_MS
_MOST_LISTED: Final = 500


Said = str | tuple[str | Annotated[float, Meta(gt=1)], ...]
"""A text, or its parts, of which numbers are decimal odds: who reads it chooses how they look."""


def said_text(said: Said, odds_text: Callable[[float], str] = format_odds) -> str:
    """Return what is said as a text, its odds decimal unless another style is asked for."""
    if isinstance(said, str):
        return said
    return "".join(part if isinstance(part, str) else odds_text(part) for part in said)


class Alert(msgspec.Struct, frozen=True):
    """Something that a rule asked for; its texts hold foreign names and no markup."""

    key: Hashable
    """Equal for the same thing: a bet, an arbitrage, a connection."""
    rule: str
    """The title of the rule."""
    says: Said
    also: Said
    """The rest of it, behind what it says first."""
    level: float | None = None
    """What has to rise for it to be news again, in percentage points; None: nothing has."""
    cell: RowKey | None = None
    """Which price to show."""
    channels: tuple[str, ...] = ()
    """Where to; empty is everywhere."""
    not_offered: str = ""
    """Why nobody offers its odds: it goes to no channel then; empty where they may be had."""
    is_of_prices: bool = False
    """Whether it is news only as long as prices are known to stand."""
    is_asked_for: bool = False
    """Whether it is of one price, game or connection that was asked for: lists that are full of
    news fill another hour than that of these."""

    @property
    def title(self) -> str:
        """What it says, in decimal odds, as channels get it."""
        return said_text(self.says)

    @property
    def text(self) -> str:
        """The rest, in decimal odds."""
        return said_text(self.also)


class Held(Enum):
    """Why an alert was not sent; the value is what people read."""

    COOLDOWN = "told a moment ago"
    NOT_RISEN = "told before, and it is no better"
    QUIET = "quiet hours"
    HOURLY = "enough for this hour"


class AlertEntry(msgspec.Struct):
    """A line of the list; times in milliseconds."""

    alert: Alert
    at: int
    """When it was sent, or first held back."""
    held: Held | None
    """None where it was sent."""
    times: int = 1
    """How often it came up and was held back for this reason."""
    deliveries: dict[str, str] = msgspec.field(default_factory=dict)
    """What became of it, by channel."""


def key_text(key: Hashable) -> str:
    """Return a key as a text, the same in every run of the program; a text is one already."""
    return key if isinstance(key, str) else msgspec.json.encode(key, order="sorted").decode()


class _Sent(msgspec.Struct, frozen=True):
    at: int
    level: float | None


def local_time_of_day(at_ms: int) -> time:
    """Return the time of day of a moment, where this machine is."""
    return datetime.fromtimestamp(at_ms / 1000).time()


def _hour_of(alert: Alert) -> tuple[bool, bool]:
    """Return in which hour an alert counts; a full one keeps none of another back."""
    return bool(alert.not_offered), alert.is_asked_for


class Gate:
    """Lets an alert pass or holds it back (D62); ``entries`` are the list, the newest last."""

    def __init__(
        self,
        policy: Policy,
        clock: Clock,
        time_of_day: Callable[[int], time] = local_time_of_day,
    ) -> None:
        self.policy = policy
        self.entries: deque[AlertEntry] = deque()
        self._clock = clock
        self._time_of_day = time_of_day
        self.listed = 0
        """How many lines have come to the list: it differs where this does."""
        self._sent: dict[str, _Sent] = {}
        self._sent_at = defaultdict[tuple[bool, bool], deque[int]](deque)
        """When within the hour, by ``_hour_of``."""
        self._held: dict[tuple[str, Held], AlertEntry] = {}
        self._looked_at = 0

    def restore(self, entries: Iterable[AlertEntry]) -> None:
        """Begin with a list of before, the oldest first: what it has was told, or held back."""
        now = self._clock()
        for entry in entries:
            self._list(entry)
            key = key_text(entry.alert.key)
            if now - entry.at > _REMEMBERED_MS:
                continue
            if entry.held is not None:
                self._held[key, entry.held] = entry
                continue
            self._note_sent(key, entry.alert, min(entry.at, now))

    def offer(self, alert: Alert, *, is_news: bool = True) -> AlertEntry:
        """Decide about an alert and list it; return its line.

        ``is_news``: it came up anew; else it only waits for what held it back to pass.
        """
        now, key = self._clock(), key_text(alert.key)
        why = self.held_by(alert)
        if why is None:
            self._note_sent(key, alert, now)
            return self._list(AlertEntry(alert, now, None))
        known = self._held.get((key, why))
        if known is not None:
            known.times += is_news
            known.alert = alert
            return known
        entry = self._held[key, why] = AlertEntry(alert, now, why)
        return self._list(entry)

    def held_by(self, alert: Alert) -> Held | None:
        """Return what would hold an alert back now; None where it would be sent."""
        now, policy, level = self._clock(), self.policy, alert.level
        self._look_at_clock(now)
        last = self._sent.get(key_text(alert.key))
        if last is not None:
            if now - last.at < policy.cooldown_min * MINUTE_MS:
                return Held.COOLDOWN
            if level is not None and level < (last.level or 0.0) + policy.step:
                return Held.NOT_RISEN
        if policy.is_quiet(self._time_of_day(now)):
            return Held.QUIET
        sent_at = self._sent_at[_hour_of(alert)]
        while sent_at and now - sent_at[0] >= HOUR_MS:
            sent_at.popleft()
        return Held.HOURLY if len(sent_at) >= policy.most_per_hour else None

    def _look_at_clock(self, now: int) -> None:
        """Take what was sent later than now for sent now: the clock was put back.

        Else nothing of it would pass until that time comes again, which may be days.
        """
        before, self._looked_at = self._looked_at, now
        if now < before:
            self._sent = {
                key: _Sent(min(sent.at, now), sent.level) for key, sent in self._sent.items()
            }
            for sent_at in self._sent_at.values():
                sent_at.extend([min(sent_at.popleft(), now) for _ in range(len(sent_at))])

    @property
    def full_until_ms(self) -> int | None:
        """When an hour that is full has room again, the first of them; None where none is."""
        most, now = self.policy.most_per_hour, self._clock()
        rooms = [at[-most] + HOUR_MS for at in self._sent_at.values() if len(at) >= most]
        return min((room for room in rooms if room > now), default=None)

    def _list(self, entry: AlertEntry) -> AlertEntry:
        """Append a line; where there are too many, the oldest that was held back gives way."""
        if len(self.entries) >= _MOST_LISTED:
            held = (each for each in self.entries if each.held is not None)
            self.entries.remove(next(held, self.entries[0]))
        self.entries.append(entry)
        self.listed += 1
        return entry

    def _note_sent(self, key: str, alert: Alert, at: int) -> None:
        self._sent[key] = _Sent(at, alert.level)
        self._sent_at[_hour_of(alert)].append(at)
        self._forget(key, at)

    def _forget(self, key: str, now: int) -> None:
        """What was held before a sending is another story; what was sent a day ago is none."""
        for why in Held:
            self._held.pop((key, why), None)
        for old in [each for each, sent in self._sent.items() if now - sent.at > _REMEMBERED_MS]:
            del self._sent[old]
        gone = [each for each, held in self._held.items() if now - held.at > _REMEMBERED_MS]
        for each in gone:
            del self._held[each]
