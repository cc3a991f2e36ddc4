"""The formats of other people's files that can be imported."""

from collections.abc import Mapping
from types import MappingProxyType

from oddsdesk.feeds import football_data, oddsharvester, pinnacle, the_odds_api
from oddsdesk.feeds.imported import Importer, file_by_file

IMPORTERS: Mapping[str, Importer] = MappingProxyType(
    {
        "football-data": Importer(file_by_file(football_data.convert)),
        "oddsharvester": Importer(file_by_file(oddsharvester.convert)),
        "pinnacle": Importer(pinnacle.convert, joins_files=True),
        "the-odds-api": Importer(file_by_file(the_odds_api.convert), snapshots=True),
    }
)
"""Importers by the name of their format."""
