"""What is fuzzed: a name, the function that takes the bytes, and how examples are changed."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

CORPUS: Final = Path(__file__).parents[1] / "corpus"


class Target(NamedTuple):
    """A function by its place, and what its examples are written in."""

    place: str
    """The module of this folder and the function in it."""
    watched: tuple[str, ...]
    """Modules of oddsdesk whose branches guide the search; to watch all takes seconds to begin."""
    written_in: str = "bytes"
    """``bytes``, ``json`` or ``cells`` (lines of words): see ``mutation``."""

    def function(self) -> Callable[[bytes], None]:
        """Return what takes the bytes; it imports what it tries out."""
        module, name = self.place.split(":")
        return getattr(import_module(f"{__name__}.{module}"), name)


_TEXTS: Final = ("contract.times", "contract.identity", "contract.names", "contract.quotes")
_FILES: Final = ("feeds.imported", "feeds.importing", "feeds.notation", "feeds.parts", *_TEXTS)
_PRICING: Final = ("pricing",)
_CLIENT: Final = ("client", "contract.names")
_QUERIES: Final = ("server.parameters", "server.endpoints", "store.queries", "store.cursors")

TARGETS: Final = {
    "cursor": Target("requests:read_cursor", ("store.cursors",), "json"),
    "request": Target("requests:answer", (*_QUERIES, "store.sqlite.queries"), "cells"),
    "quote": Target("quotes:read_line", _TEXTS, "json"),
    "ingest": Target("ingest:post", ("server.endpoints.ingest", "feeds.ndjson", *_TEXTS)),
    "exec": Target("quotes:listen", ("feeds.ndjson", "feeds.sources", "feeds.live", *_TEXTS)),
    "football-data": Target("files:football_data", ("feeds.football_data", *_FILES), "cells"),
    "oddsharvester": Target("files:oddsharvester", ("feeds.oddsharvester", *_FILES), "json"),
    "pinnacle": Target("files:pinnacle", ("feeds.pinnacle", *_FILES), "json"),
    "the-odds-api": Target("files:the_odds_api", ("feeds.the_odds_api", *_FILES), "json"),
    "bets": Target("files:bets", ("ledger", "spreadsheets", "pricing.formats"), "cells"),
    "devig": Target("prices:take_margin_out", _PRICING),
    "market": Target("prices:value", _PRICING, "json"),
    "answer": Target("client:read_answer", _CLIENT, "json"),
    "refusal": Target("client:read_refusal", _CLIENT, "cells"),
    "stream": Target("client:read_frame", _CLIENT, "json"),
    "settings": Target("settings:read_toml", ("cli.configured", "cli.options"), "cells"),
    "backup": Target("backups:unpack", ("store.sqlite.archive",)),
}


def examples(name: str) -> Iterator[Path]:
    """Yield the files that a search of a target begins with."""
    return iter(sorted((CORPUS / name).iterdir()))
