"""One bookmaker, many spellings: a database has one name for each (D70).

``resources/bookmakers.csv`` says which names are one bookmaker's. A database calls it as it was
first told: the name stays, since clients, keys and saved filters know it, and what other sources
say under another name is recorded under this one.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import Quote
from oddsdesk.near_names import near_names
from oddsdesk.shipped_bookmakers import shipped_profiles


class BookmakerTable(Protocol):
    """What naming bookmakers needs of an engine."""

    def bookmakers(self) -> Sequence[str]:
        """Return the names of all that ever priced anything, in their order."""
        ...


def canonical(name: str) -> str | None:
    """Return what all spellings of a known bookmaker have in common, None of an unknown one."""
    return shipped_profiles().canonical(name)


def known_names() -> list[str]:
    """Return what the bookmakers are called that are known before anything is recorded."""
    return [profile.name for profile in shipped_profiles().all()]


def unknown_bookmaker(name: str, recorded: Iterable[str]) -> str:
    """Return a warning where no bookmaker is called so, with near names; else an empty text.

    A Free account that has chosen such a name sees no odds, and no answer tells it why.
    """
    recorded = sorted(recorded)
    if name in recorded or canonical(name) is not None:
        return ""
    names = {*recorded, *(name_among(recorded, known) for known in known_names())}
    meant = " or ".join(near_names(name, names))
    asked = f"; is it {meant}?" if meant else ""
    return f"no bookmaker that is recorded or known is called {name!r}{asked}"


def usual_spelling(name: str, recorded: Iterable[str]) -> str:
    """Return a name as it is recorded, else as the known bookmaker's, where only case differs."""
    typed = fold_name(name)
    usual = (*recorded, canonical(typed) or typed)
    return next((each for each in usual if each.casefold() == typed.casefold()), typed)


def name_among(stored: Iterable[str], name: str) -> str:
    """Return which of the stored names is a bookmaker's; its own where none is."""
    known = canonical(name)
    if known is None:
        return name
    return next((each for each in stored if canonical(each) == known), name)


class BookmakerNames:
    """What a database calls bookmakers; for the thread that writes.

    A name that was found stays, whoever else writes into the file: only what the file lacks is
    looked for again.
    """

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._stored: dict[str, str] = {}

    def in_own_words(self, table: BookmakerTable, quotes: Collection[Quote]) -> Collection[Quote]:
        """Return the quotes with bookmakers as the database calls them, inside a transaction."""
        names = self._stored
        said = dict.fromkeys(quote.bookmaker for quote in quotes)
        if new := [name for name in said if name not in names]:
            names = names | self._look_up(table, new)
        if all(names[name] == name for name in said):
            return quotes
        return [
            quote
            if (name := names[quote.bookmaker]) == quote.bookmaker
            else msgspec.structs.replace(quote, bookmaker=name)
            for quote in quotes
        ]

    def _look_up(self, table: BookmakerTable, said: Iterable[str]) -> dict[str, str]:
        """Return what bookmakers are called; those that are new as they were told first.

        New ones are not kept: where the transaction fails, another program may name them.
        """
        stored = {canonical(name): name for name in reversed(table.bookmakers())}
        stored[canonical(self._reference)] = self._reference
        new: dict[str | None, str] = {}
        found = {}
        for name in said:
            known = canonical(name)
            if known is None:
                self._stored[name] = name
            elif known in stored:
                self._stored[name] = stored[known]
            found[name] = self._stored.get(name) or new.setdefault(known, name)
        return found
