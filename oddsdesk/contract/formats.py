"""The formats of other people's files, by the name of commands and the title that people read."""

from typing import Final

import msgspec

GROUP: Final = "oddsdesk.formats"
"""Entry points of this group are formats: a name, and a ``feeds.imported.Importer``."""

FOOTBALL_DATA: Final = "football-data"


class FileFormat(msgspec.Struct, frozen=True):
    """A format of files that can be imported and replayed."""

    name: str
    title: str
    importer: str
    """``module:name`` of its ``feeds.imported.Importer``, which is loaded when a file is read."""
    signs: tuple[tuple[str, ...], ...] = ()
    """How ``base.file_kinds`` recognises its files: by column titles or keys of JSON that stand
    together in the first 64 KiB. Each group alone is enough. Case and ``_`` do not matter."""


OWN_FORMATS: Final = (
    FileFormat(
        FOOTBALL_DATA,
        "football-data.co.uk (CSV, XLSX)",
        "oddsdesk.feeds.football_data:IMPORTER",
        (
            ("HomeTeam", "AwayTeam", "FTHG"),
            ("Div", "HomeTeam", "AwayTeam"),
            ("Country", "League", "Home", "Away"),
        ),
    ),
    FileFormat(
        "betfair",
        "Betfair's historical data (bz2)",
        "oddsdesk.feeds.betfair.historical:IMPORTER",
        (("op", "pt", "mc", "clk"),),
    ),
    FileFormat(
        "oddsharvester",
        "OddsPortal through OddsHarvester (JSON, CSV)",
        "oddsdesk.feeds.oddsharvester:IMPORTER",
        (("match_link", "home_team"),),
    ),
    FileFormat(
        "pinnacle",
        "Pinnacle's odds and fixtures",
        "oddsdesk.feeds.pinnacle:IMPORTER",
        (("sportId", "leagues"), ("sportId", "league", "events")),
    ),
    FileFormat(
        "scores",
        "Scores of any origin (CSV, XLSX)",
        "oddsdesk.feeds.scores:IMPORTER",
        (("Date", "Home", "Away", "HG", "AG"),),
    ),
    FileFormat(
        "sharpapi",
        "SharpAPI (CSV, JSON)",
        "oddsdesk.feeds.sharpapi:IMPORTER",
        (("sportsbook", "market_type", "selection_type"),),
    ),
    FileFormat(
        "the-odds-api",
        "The Odds API",
        "oddsdesk.feeds.the_odds_api.importer:IMPORTER",
        (
            ("sport_key", "bookmakers"),
            ("sport_key", "completed", "scores"),
            ("sport_key", "commence_time", "price"),
            ("sport_key", "commence_time", "outcomes_price"),
        ),
    ),
)


def file_formats() -> list[FileFormat]:
    """Return our formats, then those of installed packages by name; ours win a name."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 25 modules, 40 ms

    found = {each.name: each for each in OWN_FORMATS}
    for point in sorted(entry_points(group=GROUP)):
        package = point.dist.name if point.dist is not None else point.value
        title = f"{point.name} (package {package})"
        found.setdefault(point.name, FileFormat(point.name, title, point.value))
    return list(found.values())


def find_format(name: str) -> FileFormat | None:
    """Return the format of a name; packages are asked for what is none of ours."""
    own = (each for each in OWN_FORMATS if each.name == name)
    return next(own, None) or next((each for each in file_formats() if each.name == name), None)
