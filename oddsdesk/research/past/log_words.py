"""What is said of a log that was gone through: where it lies in time, and what it lacks."""

from collections.abc import Callable, Collection
from typing import Protocol

from oddsdesk.contract.times import format_ms
from oddsdesk.near_names import near_names
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE, LEAST_VOTES

Moment = Callable[[int], str]
"""Says a time that is given in milliseconds."""


class LogRead(Protocol):
    """What a log was found to be; times in milliseconds."""

    @property
    def first_ms(self) -> int | None:
        """When its first row was known; None for an empty log."""
        ...

    @property
    def last_ms(self) -> int:
        """When its last row was."""
        ...

    @property
    def asked(self) -> int:
        """How many of its rows were known in the span that is asked for."""
        ...

    @property
    def bookmakers(self) -> Collection[str]:
        """Whose prices the rows are that were read."""
        ...


def in_span(since_ms: int | None, until_ms: int | None, moment: Moment = format_ms) -> str:
    """Return a span as the end of a sentence."""
    if since_ms is None and until_ms is None:
        return "in this database"
    begin = "the beginning" if since_ms is None else moment(since_ms)
    return f"from {begin} to {'the end' if until_ms is None else moment(until_ms)}"


def why_nothing(log: LogRead, reference: str, when: str, moment: Moment = format_ms) -> str:
    """Return why nothing can come of a span: no rows, or none of the reference; else nothing."""
    if not log.asked:
        return f"nothing was recorded {when}{_the_log_goes(log, moment)}"
    if reference == CONSENSUS_TITLE:
        too_few = len(log.bookmakers) <= LEAST_VOTES
        return f"a consensus takes three others beside a bookmaker; {_there_are(log)}" * too_few
    if reference not in log.bookmakers:
        return f"no price of {reference!r}, the reference, was recorded{_meant(reference, log)}"
    return ""


def why_no_close(log: LogRead, by: CloseBy) -> str:
    """Return that nothing was recorded of whoever's closing line is asked for; else nothing."""
    name = by.reference
    if not log.bookmakers or name == CONSENSUS_TITLE or name in log.bookmakers:
        return ""
    return f"no price of {name!r} was recorded, whose closing line CLV is by{_meant(name, log)}"


def _meant(name: str, log: LogRead) -> str:
    meant = " or ".join(near_names(name, log.bookmakers))
    return f"{f'; {meant} may be meant' if meant else ''}; {_there_are(log)}"


def _there_are(log: LogRead) -> str:
    return f"there are {', '.join(sorted(log.bookmakers, key=str.casefold))}"


def _the_log_goes(log: LogRead, moment: Moment) -> str:
    if log.first_ms is None:
        return ""
    return f"; the log goes from {moment(log.first_ms)} to {moment(log.last_ms)}"
