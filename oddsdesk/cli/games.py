"""`oddsdesk games`: pairs of games from different sources that may be one game."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.options import database_option
from oddsdesk.cli.terminal import aligned
from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.contract.times import format_ms
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import PairError, StoreError
from oddsdesk.store.store import Store, open_store

_HEADINGS: Final = (
    N_("ID"),
    N_("STATE"),
    N_("COMPETITION"),
    N_("KICK-OFF"),
    N_("GAME"),
    N_("OTHER GAME"),
)
_ORDER: Final = (PairState.SUGGESTED, PairState.ACCEPTED, PairState.REFUSED)
_DONE: Final = {
    PairState.ACCEPTED: _("{number}: {game} and {other}: merged"),
    PairState.REFUSED: _("{number}: {game} and {other}: kept apart"),
    PairState.SUGGESTED: _("{number}: {game} and {other}: undecided again"),
}

idents_argument = click.argument("idents", nargs=-1, required=True, type=int, metavar="ID...")
json_option = click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array."))


@click.group()
def games() -> None:
    """Merge games that sources name differently.

    Known spellings of a team are merged without this. A running server on the same database shows
    a decision the next time it reads the prices.

    \b
    Example:
      oddsdesk games suggest
      oddsdesk games accept 3
    """


@games.command()
@database_option
@json_option
def suggest(database: Database, as_json: bool) -> None:
    """List games that may be the same, and your earlier decisions.

    Pairs have the same competition, similar names, kick-offs within two hours, and prices that
    agree. Listing them merges nothing.

    \b
    Example:
      oddsdesk games suggest --json
    """
    with _open(database) as store:
        found = store.find_pairs().result()
    _tell(sorted(found, key=lambda pair: _ORDER.index(pair.state)), as_json=as_json)


@games.command(name="accept")
@database_option
@json_option
@idents_argument
def accept_(database: Database, as_json: bool, idents: tuple[int, ...]) -> None:
    """Merge the two games of each pair.

    Their team names are remembered as aliases.

    \b
    Example:
      oddsdesk games accept 3 5
    """
    _decide(database, idents, PairState.ACCEPTED, as_json=as_json)


@games.command(name="refuse")
@database_option
@json_option
@idents_argument
def refuse_(database: Database, as_json: bool, idents: tuple[int, ...]) -> None:
    """Keep the two games of each pair apart and stop suggesting them.

    \b
    Example:
      oddsdesk games refuse 4
    """
    _decide(database, idents, PairState.REFUSED, as_json=as_json)


@games.command(name="undo")
@database_option
@json_option
@idents_argument
def undo_(database: Database, as_json: bool, idents: tuple[int, ...]) -> None:
    """Undo your decision on each pair.

    Both games return, each with the prices that arrived under its own name. Other games of the same
    teams that were merged meanwhile also return, for a week after their last price.

    \b
    Example:
      oddsdesk games undo 3
    """
    _decide(database, idents, PairState.SUGGESTED, as_json=as_json)


def _decide(database: Database, idents: Sequence[int], state: PairState, *, as_json: bool) -> None:
    """Decide on all pairs, or on none if one of them cannot be decided; then print them."""
    with _open(database) as store:
        decided = store.decide_pairs(idents, state, system_clock()).result()
    if as_json:
        _tell(decided, as_json=True)
        return
    for pair in decided:
        names = {"game": pair.kept.match_name, "other": pair.other.match_name}
        click.echo(_DONE[pair.state].format(number=pair.ident, **names))


@contextlib.contextmanager
def _open(database: Database) -> Iterator[Store]:
    if isinstance(database, Path) and not database.exists():
        raise click.ClickException(_("{database}: no such database").format(database=database))
    try:
        with contextlib.closing(open_store(database)) as store:
            yield store
    except (PairError, StoreError) as error:
        raise click.ClickException(translated(str(error))) from error


def _tell(pairs: Sequence[GamePair], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_fields(pair) for pair in pairs], indent=2))
        return
    if not pairs:
        click.echo(_("no games here look like the same game"))
        return
    for line in aligned(_HEADINGS, map(_row, pairs)):
        click.echo(line)


def _row(pair: GamePair) -> tuple[str, ...]:
    kick_off = pair.kept.match_date if pair.kept.match_date is not None else pair.other.match_date
    return (
        str(pair.ident),
        translated(pair.state.value),
        pair.competition,
        "-" if kick_off is None else format_ms(kick_off),
        pair.kept.match_name,
        pair.other.match_name,
    )


def _fields(pair: GamePair) -> dict[str, Any]:
    return {
        "id": pair.ident,
        "state": pair.state.value,
        "competition": pair.competition,
        "game_id": pair.kept.game_id,
        "match_name": pair.kept.match_name,
        "match_date": _time(pair.kept.match_date),
        "other_game_id": pair.other.game_id,
        "other_name": pair.other.match_name,
        "other_match_date": _time(pair.other.match_date),
        "crosswise": pair.is_crosswise,
        "decided_at": _time(pair.decided_at),
    }


def _time(moment: int | None) -> str | None:
    return None if moment is None else format_ms(moment)
