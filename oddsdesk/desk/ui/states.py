"""Texts for states without prices: refused (by error code), loading, empty, disconnected."""

from collections.abc import Collection
from typing import Final, NamedTuple

from oddsdesk.base.numbers import hour_text
from oddsdesk.base.tasks import JobFault
from oddsdesk.base.texts import _, translated
from oddsdesk.board.model.matrix import Matrix
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.contract.access import ErrorCode
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.formatting import day_text, local_time, moment_text, span_text
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.assessment import STALE_MS

_SENTENCES: Final = {
    ErrorCode.UNAUTHORIZED.value: _("The service does not know this key."),
    ErrorCode.BOOKMAKER_NOT_CONFIGURED.value: _("No bookmaker is chosen for this key."),
    ErrorCode.BOOKMAKER_FORBIDDEN.value: _("This key is for another bookmaker only."),
    ErrorCode.LIVE_NOT_ON_PLAN.value: _("In-play prices are not in your plan."),
    ErrorCode.WEBSOCKET_NOT_ON_PLAN.value: _("The stream is not in your plan."),
    ErrorCode.VALUE_BETS_NOT_ON_PLAN.value: _("Value bets are not in your plan."),
    ErrorCode.WRITE_FORBIDDEN.value: _("This key is read-only."),
}
NO_SERVICE: Final = EmptyState("offline", _("Not connected."))
"""In the place of anything that is read: why there is no service is told once, in the window."""


class Refusal(NamedTuple):
    """What was refused, and what to do about it."""

    sentence: str
    detail: str


def refusal_of(connection: Connection) -> Refusal:
    """Return what to say of a connection that is refused."""
    sentence = _SENTENCES.get(connection.code or "")
    if sentence is not None:
        return Refusal(sentence, translated(connection.advice))
    said = f"{reason_text(connection)} {translated(connection.advice)}".strip()
    return Refusal(_("The service refused this key."), said)


def no_stakes(connection: Connection) -> str:
    """Say that a list stakes nothing, then why: nobody knows whether its prices still stand.

    Two facts, so that where there is room for one the first stays.
    """
    return _("no stakes · {why_lost}").format(why_lost=translated(connection.why_lost))


def may_be_gone(why_lost: str) -> str:
    """Return that a price may no longer be offered; empty while prices are up to date."""
    if not why_lost:
        return ""
    return _("{first}{why_lost}: this price may be out of date.").format(
        first=why_lost[0].upper(), why_lost=why_lost[1:]
    )


def out_of_requests(connection: Connection) -> Refusal | None:
    """Return what to say while nothing is read for want of requests; None while some are left."""
    if connection.code != ErrorCode.RATE_LIMIT_EXCEEDED.value:
        return None
    when = _returning(connection, _(" at "))
    return Refusal(
        _("No requests left."), _("Loading continues when they reset{when}.").format(when=when)
    )


def state_of_refusal(connection: Connection) -> EmptyState | None:
    """Return that the service refuses the key, or has no requests left; None if it does not."""
    if connection.link is Link.REFUSED:
        return EmptyState("lock", *refusal_of(connection))
    lack = out_of_requests(connection)
    return None if lack is None else EmptyState("loading", *lack)


def stream_alone(connection: Connection) -> str:
    """Say what is not read, and until when, while only the stream goes on; empty while all does."""
    if connection.link is not Link.LIVE or out_of_requests(connection) is None:
        return ""
    return _("no requests left: lists and games are not updated{until}").format(
        until=_returning(connection, _(" until "))
    )


def old_text(connection: Connection, now_ms: int) -> str:
    """Return that prices are stale, by the newest of all; empty while some may be fresh."""
    newest = connection.newest_ms
    if newest is None or now_ms - newest <= STALE_MS:
        return ""
    return _("prices are stale: no update for {span}").format(span=span_text(now_ms - newest))


def no_price_for(connection: Connection, now_ms: int) -> str:
    """Say how long no price came in where the service answers; empty while some come as usual."""
    since = connection.silent_since_ms
    if since is None or not connection.is_heard:
        return ""
    return _("no new price for {span}").format(span=span_text(now_ms - since))


def _returning(connection: Connection, preposition: str) -> str:
    back = connection.next_try_ms
    return "" if back is None else f"{preposition}{hour_text(local_time(back))}"


def reason_text(connection: Connection) -> str:
    """Return the connection's reason as a sentence; empty for none."""
    reason = translated(connection.reason or "").rstrip(".")
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""


def state_without_rows(
    matrix: Matrix | None, connection: Connection, now_ms: int, *, is_gone: bool = False
) -> EmptyState:
    """Return what to show instead of a game's prices; ``is_gone``: it is no longer listed."""
    if (refused := state_of_refusal(connection)) is not None:
        return refused
    if connection.link is Link.WAITING:
        return EmptyState(
            "offline", _("Not connected."), _trouble(connection, now_ms), ink=TextRole.DOWN
        )
    if connection.has_no_service:
        return NO_SERVICE
    if is_gone and connection.as_of_ms is not None:
        return EmptyState("table", _("No bookmaker had a price for this game then."))
    if is_gone:
        return EmptyState(
            "table",
            _("The service no longer shows this game."),
            _("It is over, or its prices have not been read for 10 minutes."),
        )
    if matrix is not None and matrix.read_at is not None:
        return EmptyState(
            "table",
            _("No bookmaker prices this game now."),
            _("Prices appear here as soon as one does."),
        )
    return EmptyState("loading", _("Loading the prices of this game…"))


def trouble_text(connection: Connection, now_ms: int, *, has_prices: bool = True) -> str:
    """Return why prices on screen grow old, or none come; empty while the connection is well."""
    old = _(": prices are as last seen.") if has_prices else "."
    if connection.link is Link.WAITING:
        return (
            _("Not connected{old} {trouble}")
            .format(old=old, trouble=_trouble(connection, now_ms))
            .rstrip()
        )
    if connection.link is Link.REFUSED:
        sentence, detail = refusal_of(connection)
        return f"{sentence.rstrip('.')}{old} {detail}".rstrip()
    if said := stream_alone(connection):
        return _(
            "{first}{said}. Streamed prices still update, but a price that is no "
            "longer offered shows by its age only."
        ).format(first=said[0].upper(), said=said[1:])
    if said := no_price_for(connection, now_ms):
        return _("{first}{said} in any game, though the service answers{old}").format(
            first=said[0].upper(), said=said[1:], old=old
        )
    return ""


def faults_text(connection: Connection) -> str:
    """Return which of the desk's own jobs failed, and why; empty while all are well."""
    said = [f"{job_text(fault)} ({translated(fault.reason)})" for fault in connection.faults]
    if not said:
        return ""
    tasks = (
        _("A background task")
        if len(said) == 1
        else _("{count} background tasks").format(count=len(said))
    )
    return _("{tasks} failed, trying again: {names}.").format(tasks=tasks, names="; ".join(said))


def service_text(connection: Connection) -> str:
    """Return what the service says is wrong with itself; empty while all is well."""
    if (apart := translated(connection.clocks_text)) and connection.is_heard:
        return _(
            "{first}{apart}, so the age of prices is unknown: no stakes and no "
            "alerts. Set the clock that is wrong."
        ).format(first=apart[0].upper(), apart=apart[1:])
    if not connection.service_troubles:
        return ""
    return _("The service reports a problem: {names}.").format(
        names="; ".join(map(translated, connection.service_troubles))
    )


def job_text(fault: JobFault) -> str:
    """Return a job's name for people: without the game's id."""
    name = fault.job.removeprefix("sync: ")
    return _("prices of a game") if name.startswith("matrix ") else translated(name)


def _trouble(connection: Connection, now_ms: int) -> str:
    said = [reason_text(connection), translated(connection.advice)]
    if connection.since_ms is not None and connection.as_of_ms is None:  # there time stands
        said.append(
            _("Disconnected for {span}.").format(span=span_text(now_ms - connection.since_ms))
        )
    if connection.next_try_ms is not None and connection.next_try_ms > now_ms:
        said.append(
            _("Next try in {span}.").format(span=span_text(connection.next_try_ms - now_ms))
        )
    return " ".join(part for part in said if part)


FEED = _("Get live odds…")
"""Opens where the desk's own server is given real prices."""


def nearest_text(connection: Connection) -> str:
    """Return where prices are that are nearest to a moment without any; empty where not known."""
    keys = {False: "Alt+Left", True: "Alt+Right"}
    at = connection.as_of_ms or 0
    told = [f"{moment_text(ms)} ({keys[ms > at]})" for ms in connection.nearest_ms]
    return _("Nearest prices: {moments}.").format(moments=_(" and ").join(told)) if told else ""


MY_BOOKMAKERS = _("My bookmakers…")
"""Opens the dialog in which they are ticked."""
_MOST_NAMED: Final = 3


def state_of_mine(unticked: Collection[str]) -> EmptyState | None:
    """Return that only bookmakers which are not ticked have prices; None if there are none."""
    if not unticked:
        return None
    there = sorted(unticked, key=str.casefold)
    more = (
        _(" and {count} more").format(count=len(there) - _MOST_NAMED)
        if len(there) > _MOST_NAMED
        else ""
    )
    detail = _("Prices are from {names}{more}. Tick those you use.").format(
        names=", ".join(there[:_MOST_NAMED]), more=more
    )
    return EmptyState(
        "filter", _("None of your bookmakers has prices here."), detail, MY_BOOKMAKERS
    )


def text_without_games(connection: Connection, *, own_server: bool) -> str:
    """Return why there are no games, and what to do; ``own_server``: it can be fed from here."""
    if (lack := out_of_requests(connection)) is not None:
        return " ".join(lack)
    if connection.has_no_service:
        return NO_SERVICE.sentence
    match connection.link:
        case Link.CONNECTING | Link.STOPPED:
            return _("Loading games…")
        case Link.REFUSED:
            return " ".join(refusal_of(connection)).strip()
        case Link.WAITING:
            return _("Not connected. Games appear here once the service answers.")
        case Link.PAST if connection.has_unread_prices:
            return _("Loading the games of that moment…")
        case Link.PAST:
            said = _("No game had prices then. Games are listed for a day after kick-off.")
            return f"{said} {nearest_text(connection)}".strip()
    if own_server and connection.newest_ms is not None:
        day = day_text(connection.newest_ms)
        return _("No games with fresh odds: the newest prices are from {day}.").format(day=day)
    if own_server:
        return _("No games with fresh odds. Get live odds or import files (Ctrl+I).")
    return _("No games with fresh odds now. They appear here as soon as a bookmaker is read.")


def cut_text(snapshot_progress: SnapshotProgress) -> str:
    """Return what to say where some slices could not be read; empty where all were."""
    if not snapshot_progress.cut:
        return ""
    said = translated(unread_text(snapshot_progress.cut))
    return _(
        "{first}{said}. Prices there may be missing or old; open a game to see all of its prices."
    ).format(first=said[:1].upper(), said=said[1:])
