"""The user's promotions, in ``promotions.json`` in the settings folder, and the bets of each.

A bet belongs to a promotion by its note: ``promo: Free 25;`` and any other text.
"""

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.places import NoHomeError, settings_folder
from oddsdesk.base.texts import _, translated
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import OwnTableError, table_text, write_json_table
from oddsdesk.pricing.promotions import NAME_ENDS, Promotion, problem_of

_MARK: Final = "promo: "
_IN_NOTE: Final = re.compile(rf"(?:^|\s){_MARK}([^{NAME_ENDS}\r\n]+)")


class KnownPromotions(NamedTuple):
    """The stored promotions, and the errors in their file."""

    promotions: list[Promotion]
    problems: list[str]
    """One line each: file, entry, what was expected. Other entries apply."""


class Earned(NamedTuple):
    """The totals of a promotion's bets, in their currency; in the main one if they have several."""

    bets: int
    open: int
    profit: float
    """Of the settled ones, after commission."""


def promotions_file() -> Path:
    """Return where promotions are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "promotions.json"


def known_promotions() -> KnownPromotions:
    """Return the stored promotions; none without a file."""
    try:
        path = promotions_file()
        text = table_text(path)
    except NoHomeError:
        return KnownPromotions([], [])
    except OwnTableError as error:
        return KnownPromotions([], [str(error)])
    return _read(path, text)


def _read(path: Path, text: str) -> KnownPromotions:
    known = KnownPromotions([], [])
    try:
        entries = msgspec.json.decode(text, type=list[msgspec.Raw]) if text.strip() else []
    except msgspec.DecodeError as error:
        return KnownPromotions(
            [],
            [
                _("{path}: not a list of promotions: {error}").format(
                    path=path, error=translated(str(error))
                )
            ],
        )
    names = set[str]()
    for number, entry in enumerate(entries, 1):
        try:
            promotion = msgspec.json.decode(entry, type=Promotion)
        except msgspec.DecodeError as error:
            known.problems.append(
                _("{path}: entry {number}: {error}").format(
                    path=path, number=number, error=translated(str(error))
                )
            )
            continue
        problem = problem_of(promotion)
        if not problem and _fold(promotion.name) in names:
            problem = _("there is already an offer {name!r}").format(name=promotion.name)
        if problem:
            known.problems.append(
                _("{path}: entry {number}: {error}").format(path=path, number=number, error=problem)
            )
        else:
            names.add(_fold(promotion.name))
            known.promotions.append(promotion)
    return known


def promotion_named(promotions: Iterable[Promotion], name: str) -> Promotion | None:
    """Return the promotion with a name, whatever its case; None if there is none."""
    return next((each for each in promotions if _fold(each.name) == _fold(name)), None)


def save_promotion(promotion: Promotion, *, instead_of: str = "") -> None:
    """Store a promotion, in place of the one with the name ``instead_of``.

    Raises:
        OwnTableError: it makes no sense, its name is taken, or the file has entries that cannot be
            read, or cannot be written.
        NoHomeError: there is no home folder.
    """
    if problem := problem_of(promotion):
        raise OwnTableError(problem)
    path, known = _to_change()
    others = [each for each in known if _fold(each.name) != _fold(instead_of)]
    if promotion_named(others, promotion.name) is not None:
        raise OwnTableError(_("there is already an offer {name!r}").format(name=promotion.name))
    at = next((i for i, e in enumerate(known) if _fold(e.name) == _fold(instead_of)), len(others))
    write_json_table(path, [*others[:at], promotion, *others[at:]])


def remove_promotion(name: str) -> Promotion:
    """Remove a stored promotion and return it; its bets keep their notes.

    Raises:
        OwnTableError: there is none with this name, or the file has entries that cannot be read,
            or cannot be written.
        NoHomeError: there is no home folder.
    """
    path, known = _to_change()
    removed = promotion_named(known, name)
    if removed is None:
        raise OwnTableError(_("no offer {name!r}").format(name=name))
    write_json_table(path, [each for each in known if each is not removed])
    return removed


def use_promotion(name: str, used_at: int | None) -> Promotion:
    """Set when an offer was used; None for not used. Return it as stored.

    Raises:
        OwnTableError: as ``remove_promotion``.
        NoHomeError: there is no home folder.
    """
    _path, known = _to_change()
    before = promotion_named(known, name)
    if before is None:
        raise OwnTableError(_("no offer {name!r}").format(name=name))
    after = msgspec.structs.replace(before, used_at=used_at)
    save_promotion(after, instead_of=before.name)
    return after


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())


def _to_change() -> tuple[Path, list[Promotion]]:
    path = promotions_file()
    known = _read(path, table_text(path))
    if known.problems:
        raise OwnTableError(
            _("{problem}; correct it, or move the file away").format(problem=known.problems[0])
        )
    return path, known.promotions


def promo_note(name: str, note: str = "") -> str:
    """Return the note of a bet that belongs to a promotion, with the rest of the note after it."""
    return f"{_MARK}{name}{NAME_ENDS} {note}".rstrip() if note else f"{_MARK}{name}"


def promo_in(note: str) -> str:
    """Return the name of the promotion that a bet belongs to by its note; empty if none."""
    found = _IN_NOTE.search(note)
    return "" if found is None else found[1].strip()


def earned(
    bets: Iterable[PlacedBet],
    name: str,
    in_main: Callable[[Iterable[PlacedBet]], Iterable[PlacedBet]] = iter,
) -> Earned:
    """Return the totals of a promotion's bets, without practice bets.

    ``in_main`` converts bets in several currencies into the main one.
    """
    of_promotion = [
        bet for bet in bets if _fold(promo_in(bet.note)) == _fold(name) and not bet.practice
    ]
    if len({bet.currency for bet in of_promotion}) > 1:
        of_promotion = [*in_main(of_promotion)]
    settled = [profit for bet in of_promotion if (profit := bet.profit) is not None]
    return Earned(len(of_promotion), len(of_promotion) - len(settled), math.fsum(settled))
