"""Times on the command line."""

import re
from datetime import datetime
from typing import Final

import click

from oddsdesk.contract.times import parse_ms

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def moment(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    """Return a time in milliseconds; a date is its midnight in UTC."""
    if value is None:
        return None
    try:
        if _DAY.fullmatch(value):
            return parse_ms(f"{datetime.fromisoformat(value):%Y-%m-%d}T00:00:00Z")
        return parse_ms(value)
    except ValueError as error:
        expected = "expected a date, or a time with its offset such as 2026-11-20T18:30:00Z"
        raise click.BadParameter(f"{expected}, got {value!r}") from error


def check_span(since: int | None, until: int | None) -> None:
    """Refuse a span that is none.

    Raises:
        click.UsageError: it ends before it begins.
    """
    if since is not None and until is not None and since >= until:
        raise click.UsageError("--from is not before --to")
