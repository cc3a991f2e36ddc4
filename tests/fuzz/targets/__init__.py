"""What is fuzzed: a name, the function that takes the bytes, and how examples are changed."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from oddsdesk.contract.formats import OWN_FORMATS, FileFormat

CORPUS: Final = Path(__file__).parents[1] / "corpus"


class Target(NamedTuple):
    """A function by its place, and what its examples are written in."""

    place: str
    """The module of this folder and the function in it."""
    watched: tuple[str, ...]
    """Modules of oddsdesk whose branches guide the search; to watch all takes seconds to begin."""
    written_in: str = "bytes"
    """``bytes``, ``json``, ``cells`` (lines of words) or ``either``: see ``mutation``."""
    format_name: str = ""
    """Of the files that are imported; the function is then what it returns of the name."""

    def function(self) -> Callable[[bytes], None]:
        """Return what takes the bytes; it imports what it tries out."""
        module, name = self.place.split(":")
        function = getattr(import_module(f"{__name__}.{module}"), name)
        return function(self.format_name) if self.format_name else function


_TEXTS: Final = (
    "contract.times",
    "contract.identity",
    "contract.texts",
    "contract.quotes",
    "contract.results",
)
_FILES: Final = ("feeds.imported", "feeds.importing", "feeds.notation", "base.spreadsheets")
_PRICING: Final = ("pricing",)
_CLIENT: Final = ("client", "contract.texts")
_QUERIES: Final = ("server.parameters", "server.endpoints", "store.queries", "store.values")


def _target_of(file_format: FileFormat) -> Target:
    module = file_format.importer.partition(":")[0].removeprefix("oddsdesk.")
    watched = (module, *_FILES, *_TEXTS)
    return Target("files:importing", watched, "either", file_format.name)


TARGETS: Final = {
    "cursor": Target("requests:read_cursor", ("store.values",), "json"),
    "request": Target("requests:answer", _QUERIES, "cells"),
    "quote": Target("quotes:read_line", _TEXTS, "json"),
    "ingest": Target("ingest:post", ("server.endpoints.ingest", "feeds.ndjson", *_TEXTS)),
    "exec": Target("quotes:listen", ("feeds.ndjson", "feeds.sources", "feeds.live", *_TEXTS)),
    "bets": Target("files:bets", ("ledger", "base.spreadsheets", "pricing.formats"), "cells"),
    "accounts": Target("files:account", ("feeds.accounts", "feeds.betfair", *_TEXTS), "json"),
    "devig": Target("prices:take_margin_out", _PRICING),
    "market": Target("prices:value", _PRICING, "json"),
    "answer": Target("client:read_answer", _CLIENT, "json"),
    "refusal": Target("client:read_refusal", _CLIENT, "cells"),
    "stream": Target("client:read_frame", _CLIENT, "json"),
    "settings": Target("settings:read_toml", ("cli.configured", "cli.options"), "cells"),
    "backup": Target("backups:unpack", ("store.sqlite.archive",)),
} | {each.name: _target_of(each) for each in OWN_FORMATS}


def examples(name: str) -> Iterator[Path]:
    """Yield the files that a search of a target begins with."""
    return iter(sorted((CORPUS / name).glob("*")))
