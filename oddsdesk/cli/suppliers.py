"""`oddsdesk suppliers`: bookmakers that get their odds from one supplier, by a recorded log."""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.options import (
    archive_option,
    check_archive,
    maybe_database_option,
    usual_database,
)
from oddsdesk.cli.own_records import own_profiles
from oddsdesk.cli.terminal import Progress, aligned, plain
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.consensus import (
    LEAST_IDENTICAL,
    LEAST_SHARED,
    Pair,
    Suppliers,
    Voices,
    prices_itself,
)
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.past_game import Era
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.walk import Visitor, Walk
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store

_HEADINGS: Final = (
    *(N_("BOOKMAKER"), N_("AND"), N_("LINES"), N_("IDENTICAL")),
    *(N_("FIRST"), N_("LAST"), ""),
)
_RIGHT: Final = frozenset({"LINES", "IDENTICAL"})
_LEAST_SHOWN: Final = 0.5
"""Share of identical lines from which a pair without a shared vote is listed."""


class Evidence(NamedTuple):
    """What a log shows about suppliers."""

    pairs: list[Pair]
    """Pairs that both price ``LEAST_SHARED`` lines or more, with at least one identical line;
    the highest share first."""
    voices: Voices
    """Which bookmakers share a vote, by the profiles and by the pairs."""
    bookmakers: set[str]
    """All bookmakers in the log."""

    def shared_votes(self) -> dict[str, list[str]]:
        """Return the bookmakers of each shared vote, by the vote's name."""
        votes: dict[str, list[str]] = {}
        for name in sorted(self.bookmakers, key=str.casefold):
            votes.setdefault(self.voices.voice_of(name), []).append(name)
        return {title: names for title, names in sorted(votes.items()) if len(names) > 1}

    def has_one_vote(self, pair: Pair) -> bool:
        """Return whether the two bookmakers share a vote."""
        return self.voices.voice_of(pair.one) == self.voices.voice_of(pair.other)


@click.command()
@maybe_database_option
@archive_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=_("Print a JSON object: pairs with an identical line, and votes."),
)
def suppliers(database: Database | None, archive: Path | None, as_json: bool) -> None:
    """List bookmakers with the same odds supplier.

    They share one vote in the consensus. Two bookmakers have the same supplier if at least 80 % of
    their common lines are identical, out of 30 or more. Each line is compared once per pair, at its
    last prices before kick-off. Lines with the same price on every side are left out, since
    independent bookmakers also show 1.91/1.91.

    To give a bookmaker its own vote, set its own name as supplier in your bookmakers.csv.

    \b
    Example:
      oddsdesk suppliers --database season.db
      oddsdesk suppliers --json
    """
    check_archive(archive)
    profiles = own_profiles()
    try:
        with (
            contextlib.closing(open_store(database or usual_database(), read_only=True)) as store,
            Progress(_("rows read")) as progress,
        ):
            found = evidence(RecordedLog(store.reader(), archive), profiles, progress.count_done)
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(translated(str(error))) from error
    if as_json:
        click.echo(json.dumps(_as_fields(found, profiles), indent=2))
    else:
        for line in _lines(found, profiles):
            click.echo(plain(line))


def evidence(log: RecordedLog, profiles: Profiles, progress: Callable[[int], None]) -> Evidence:
    """Return what a log shows about suppliers; ``progress`` receives the rows done since.

    Raises:
        ArchiveError, StoreUnavailableError, OSError: something cannot be read.
    """
    compared = Suppliers()

    def make_era() -> Era:
        return Era("", DEFAULT_METHOD, profiles, None, compared)

    walk = Walk(log, system_clock())
    walk.add_visitor(Visitor(), make_era)
    walk.walk_log(None, None, progress)
    voices = Voices(profiles, compared.found)
    return Evidence(compared.pairs(LEAST_SHARED), voices, walk.bookmakers)


def _as_fields(found: Evidence, profiles: Profiles) -> dict[str, Any]:
    pairs = [
        {
            "bookmakers": [pair.one, pair.other],
            "lines": pair.shared,
            "identical": pair.identical,
            "identical_pct": round(pair.share * 100, 2),
            "first_identical_at": format_ms(pair.first_ms),
            "last_identical_at": format_ms(pair.last_ms),
            "one_supplier": pair.is_one_supplier,
            "one_vote": found.has_one_vote(pair),
        }
        for pair in found.pairs
    ]
    votes = [
        {"vote": title, "bookmakers": names, "by": list(_reasons(names, found.pairs, profiles))}
        for title, names in found.shared_votes().items()
    ]
    return {"pairs": pairs, "shared_votes": votes}


def _lines(found: Evidence, profiles: Profiles) -> Iterator[str]:
    shown = [pair for pair in found.pairs if pair.share >= _LEAST_SHOWN or found.has_one_vote(pair)]
    if shown:
        yield from aligned(_HEADINGS, [_row(pair, found) for pair in shown], _RIGHT)
        yield ""
    for title, names in found.shared_votes().items():
        by = ", ".join(map(translated, _reasons(names, found.pairs, profiles)))
        yield _("one vote for {supplier}: {bookmakers} ({reasons})").format(
            supplier=title, bookmakers=", ".join(names), reasons=by
        )
    least = f"{num(LEAST_IDENTICAL * 100):.0f} %"
    yield _(
        "{count} bookmakers; one supplier if {share} or more of at least {lines} lines are"
        " identical"
    ).format(count=len(found.bookmakers), share=least, lines=LEAST_SHARED)


def _row(pair: Pair, found: Evidence) -> tuple[str, ...]:
    days = [format_ms(at)[:10] for at in (pair.first_ms, pair.last_ms)]
    vote = _("one vote") if found.has_one_vote(pair) else ""
    return (pair.one, pair.other, str(pair.shared), f"{num(pair.share * 100):.1f} %", *days, vote)


def _reasons(names: Iterable[str], pairs: Iterable[Pair], profiles: Profiles) -> Iterator[str]:
    """Yield why bookmakers share a vote: same operator, supplier in the profiles, or found here."""
    held = list(names)
    known = [profiles.profile_of(name) for name in held]
    if len({profile.group for profile in known}) < len(known):
        yield N_("operator")
    if any(each.supplier and not prices_itself(profiles, each.name) for each in known):
        yield N_("supplier")
    if any(pair.is_one_supplier and {pair.one, pair.other} <= set(held) for pair in pairs):
        yield N_("found")
