"""Decides which alerts are sent, and lists them with those held back and the reasons.

The whole list is written at each change, on a separate thread, since a disk may be slow. If it
cannot be written, that is reported once, and alerts continue.
"""

import logging
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, time
from enum import Enum
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from oddsdesk.base.clock import Clock
from oddsdesk.base.files import OWNER_ONLY, make_own_folder, whole_file
from oddsdesk.base.texts import _
from oddsdesk.board.alerts.rules import Policy
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.times import HOUR_MS, MINUTE_MS
from oddsdesk.pricing.formats import format_odds

_REMEMBERED_MS: Final = 24 * HOUR_MS
_MOST_LISTED: Final = 500


Said = str | tuple[str | Annotated[float, Meta(gt=1)], ...]
"""A text, or its parts; numbers are decimal odds, shown in the reader's format."""


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
    def alert_title(self) -> str:
        """What it says, in decimal odds, as channels get it."""
        return said_text(self.says)

    @property
    def body_text(self) -> str:
        """The rest, in decimal odds."""
        return said_text(self.also)


class Held(Enum):
    """Why an alert was not sent; the value is stored in lists of alerts, so it stays."""

    COOLDOWN = "told a moment ago"
    NOT_RISEN = "told before, and it is no better"
    QUIET = "quiet hours"
    HOURLY = "enough for this hour"

    @property
    def held_text(self) -> str:
        """The reason, as people read it after "not sent"."""
        return _HELD_TEXTS[self]


_HELD_TEXTS: Final = {
    Held.COOLDOWN: _("sent recently"),
    Held.NOT_RISEN: _("already sent, no better now"),
    Held.QUIET: _("quiet hours"),
    Held.HOURLY: _("hourly limit reached"),
}


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


_NewsKey = tuple[str, str]
"""What an alert is about: why nobody offers its odds, and its key."""


def _news_key(alert: Alert) -> _NewsKey:
    """Return the key of a cooldown; alerts at simulated odds never hold back real ones."""
    return alert.not_offered, key_text(alert.key)


class _Sent(msgspec.Struct, frozen=True):
    at: int
    level: float | None


def local_time_of_day(at_ms: int) -> time:
    """Return the time of day of a moment, where this machine is."""
    return datetime.fromtimestamp(at_ms / 1000).time()


def _hour_of(alert: Alert) -> tuple[str, bool]:
    """Return in which hour an alert counts; a full one keeps none of another back."""
    return alert.not_offered, alert.is_asked_for


class Gate:
    """Lets an alert pass or holds it back; ``entries`` are the list, the newest last."""

    def __init__(
        self, policy: Policy, clock: Clock, time_of_day: Callable[[int], time] = local_time_of_day
    ) -> None:
        self.policy = policy
        self.entries: deque[AlertEntry] = deque()
        self._clock = clock
        self._time_of_day = time_of_day
        self.listed = 0
        """How many lines have come to the list: it differs where this does."""
        self._sent: dict[_NewsKey, _Sent] = {}
        self._sent_at = defaultdict[tuple[str, bool], deque[int]](deque)
        """When within the hour, by ``_hour_of``."""
        self._held: dict[tuple[_NewsKey, Held], AlertEntry] = {}
        self._looked_at = 0

    def restore_entries(self, entries: Iterable[AlertEntry]) -> None:
        """Begin with a list of before, the oldest first: what it has was told, or held back."""
        now = self._clock()
        for entry in entries:
            self._list(entry)
            key = _news_key(entry.alert)
            if now - entry.at > _REMEMBERED_MS:
                continue
            if entry.held is not None:
                self._held[key, entry.held] = entry
                continue
            self._note_sent(key, entry.alert, min(entry.at, now))

    def decide_alert(self, alert: Alert, *, is_news: bool = True) -> AlertEntry:
        """Decide about an alert and list it; return its line.

        ``is_news``: it came up again; else it only waits for what held it back to pass.
        """
        now, key = self._clock(), _news_key(alert)
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
        last = self._sent.get(_news_key(alert))
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

    def full_until_ms(self, not_offered: str) -> int | None:
        """Return when the first full hourly limit has room again; None if none is full.

        ``not_offered``: why nobody offers the current odds, as in their alerts.
        """
        most, now = self.policy.most_per_hour, self._clock()
        full = [
            at
            for (why, _), at in self._sent_at.items()
            if why in ("", not_offered) and len(at) >= most
        ]
        rooms = [at[-most] + HOUR_MS for at in full]
        return min((room for room in rooms if room > now), default=None)

    def _list(self, entry: AlertEntry) -> AlertEntry:
        """Append a line; where there are too many, the oldest that was held back gives way."""
        if len(self.entries) >= _MOST_LISTED:
            held = (each for each in self.entries if each.held is not None)
            self.entries.remove(next(held, self.entries[0]))
        self.entries.append(entry)
        self.listed += 1
        return entry

    def _note_sent(self, key: _NewsKey, alert: Alert, at: int) -> None:
        self._sent[key] = _Sent(at, alert.level)
        self._sent_at[_hour_of(alert)].append(at)
        self._forget(key, at)

    def _forget(self, key: _NewsKey, now: int) -> None:
        """What was held before a sending is another story; what was sent a day ago is none."""
        for why in Held:
            self._held.pop((key, why), None)
        for old in [each for each, sent in self._sent.items() if now - sent.at > _REMEMBERED_MS]:
            del self._sent[old]
        gone = [each for each, held in self._held.items() if now - held.at > _REMEMBERED_MS]
        for each in gone:
            del self._held[each]


_END_S: Final = 2.0
_MOST_BYTES: Final = 16 << 20

_log = logging.getLogger(__name__)


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """An ``AlertEntry`` as it is written."""

    key: str
    rule: str
    title: Said
    text: Said
    at: int
    level: float | None = None
    cell: tuple[str, str, int, str, str | None] | None = None
    """As ``RowKey``; files of before have no bookmaker where it was the reference."""
    channels: tuple[str, ...] = ()
    not_offered: str = ""
    held: Held | None = None
    times: int = 1
    deliveries: dict[str, str] = {}
    is_of_prices: bool = False
    is_asked_for: bool = False


class AlertMemory:
    """Keeps the list in a file; one program at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="alerts")
        self._writing: Future[None] | None = None
        self._next: bytes | None = None
        self._has_failed = False

    def read_entries(self) -> list[AlertEntry]:
        """Return what was kept, the oldest first; nothing where that cannot be read."""
        try:
            with self._path.open("rb") as file:
                lines = msgspec.json.decode(file.read(_MOST_BYTES), type=list[_Line])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            _log.warning("earlier alerts could not be read: %s: %s", self._path, error)
            return []
        return [_entry(line) for line in lines]

    def keep_entries(self, entries: Iterable[AlertEntry]) -> None:
        """Write the list as it is now; of lists that come while one is written the last is."""
        text = msgspec.json.encode([_line(entry) for entry in entries])
        if self._writing is not None and not self._writing.done():
            self._next = text
            return
        self._next = None
        self._writing = self._pool.submit(self._write, text)

    def finish_writing(self) -> None:
        """Write what waits, as far as the disk takes it in time."""
        if self._next is not None:
            self._writing = self._pool.submit(self._write, self._next)
        if self._writing is not None:
            try:
                self._writing.result(_END_S)
            except TimeoutError:
                _log.warning("the list of alerts was not saved: %s takes too long", self._path)
        self._pool.shutdown(wait=False)

    def _write(self, text: bytes) -> None:
        try:
            make_own_folder(self._path.parent)
            with whole_file(self._path, OWNER_ONLY, private=True) as file:
                file.write(text)
        except OSError as error:
            if not self._has_failed:
                _log.warning("the list of alerts was not saved: %s: %s", self._path, error)
            self._has_failed = True
        else:
            self._has_failed = False


def _line(entry: AlertEntry) -> _Line:
    alert = entry.alert
    return _Line(
        key_text(alert.key),
        alert.rule,
        alert.says,
        alert.also,
        entry.at,
        alert.level,
        alert.cell,
        alert.channels,
        alert.not_offered,
        entry.held,
        entry.times,
        entry.deliveries,
        alert.is_of_prices,
        alert.is_asked_for,
    )


def _entry(line: _Line) -> AlertEntry:
    cell = line.cell
    alert = Alert(
        line.key,
        line.rule,
        line.title,
        line.text,
        line.level,
        None if cell is None else RowKey(*cell[:4], cell[4] or ""),
        line.channels,
        line.not_offered,
        line.is_of_prices,
        line.is_asked_for,
    )
    return AlertEntry(alert, line.at, line.held, line.times, dict(line.deliveries))
