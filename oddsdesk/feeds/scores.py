"""Scores of any origin as results, in a table (``base.score_sheets``)."""

from typing import Final

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.score_sheets import EXPECTED, read_scores
from oddsdesk.base.spreadsheets import read_sheet
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.football_data import odds_columns
from oddsdesk.feeds.imported import Imported, Importer, SourceFile, file_by_file
from oddsdesk.matching.names import shipped_names

SOURCE: Final = "scores"


def convert(file: SourceFile) -> Imported:
    """Return the results in one file; unreadable rows are listed as problems.

    Raises:
        FeedError: it has no columns of scores, or prices, too, so that it is football-data's.
        SheetError: it is no table.
    """
    titles, rows = read_sheet(file.data)
    sheet = read_scores(titles, rows, SOURCE, system_clock())
    if sheet is None:
        raise FeedError(f"expected the columns {EXPECTED}, or Date, Home, Away, HG, AG")
    if prices := odds_columns(titles):
        raise FeedError(
            f"prices ({prices[0].columns[0]}, ...) next to scores: this is a file of football-data;"
            f" use `oddsdesk import football-data`, or `oddsdesk results import football-data`"
        )
    names = shipped_names()
    results = [
        msgspec.structs.replace(each, competition=names.competition_named(each.competition))
        for each in sheet.results
    ]
    return Imported(results=results, problems=[f"{file.name} {each}" for each in sheet.problems])


IMPORTER: Final = Importer(file_by_file(convert))
