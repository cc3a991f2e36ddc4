"""What the odds grid says of a game in its title row, and of a row in its tooltip."""

from operator import itemgetter

from oddsdesk.board.verdict_words import PER_DECIDED, PER_DECIDED_TEXT, caution_text
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.desk.grid.arrangement import GameGroup
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Entry, SelectionEntry
from oddsdesk.desk.ui.formatting import edge_text, exact_odds_text, fair_text, odds_text
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.desk.ui.time_format import clock_text, kick_off_text, local_time, unmoved_text

_RAISED = Cell("", ground=SurfaceRole.RAISED)
_SELECTION, _COMPETITION, _KICK_OFF, _COUNT, _EV = (
    BY_KEY[key] for key in ("selection", "competition", "kick_off", "market_type", "ev_pct")
)


def group_cell(group: GameGroup, column: int, now_ms: int) -> Cell:
    """Return a cell of a game's title row."""
    selection = group.first
    if column == _SELECTION:
        return Cell(selection.game, TextRole.STRONG, SurfaceRole.RAISED, is_strong=True)
    if column == _COMPETITION:
        return Cell(competition_title(selection.competition), TextRole.SOFT, SurfaceRole.RAISED)
    if column == _KICK_OFF:
        if selection.is_live:
            return Cell("live", TextRole.LIVE, SurfaceRole.RAISED)
        return Cell(kick_off_text(selection.kick_off, now_ms), TextRole.SOFT, SurfaceRole.RAISED)
    if column == _COUNT:
        rows = len(group.entries)
        return Cell(f"{rows:,} row{'s' if rows != 1 else ''}", TextRole.NOTE, SurfaceRole.RAISED)
    if column == _EV:
        sure = ((entry.ev, entry) for entry in group.entries if not entry.is_doubtful)
        known = ((ev, entry) for ev, entry in sure if ev is not None)
        if (best := max(known, key=itemgetter(0), default=None)) is not None:
            unit = "" if best[1].is_per_staked else PER_DECIDED
            return Cell(edge_text(best[0]), TextRole.NOTE, SurfaceRole.RAISED, note=unit)
    return _RAISED


def group_tip(group: GameGroup, now_ms: int) -> str:
    """Return what a game's title row says whole."""
    selection = group.first
    when = "in play" if selection.is_live else kick_off_text(selection.kick_off, now_ms)
    competition = competition_title(selection.competition)
    return f"{selection.game}\n{competition}, {when}\nEV: the best of its rows"


def tip(entry: Entry, reference: str, now_ms: int) -> str:
    """Return what a row says whole: the price with both clocks, and what it is compared with."""
    selection, price, figures = entry.selection, entry.price, entry.selection.figures
    lines = [f"{selection.game}: {selection.key.selection}"]
    if price is not None:
        seen = clock_text(price.scraped_at, now_ms)
        unmoved = unmoved_text(price.changed_at, now_ms, has_moved=price.previous is not None)
        lines += [
            f"{exact_odds_text(price.odds)} at {_names(entry)}",
            f"Seen at {seen}, {unmoved}",
        ]
        if price.withdrawn_at is not None:
            lines.append(f"Gone since {local_time(price.withdrawn_at):%H:%M:%S}")
    lines += [f"No value: {caution_text(caution, reference)}" for caution in entry.cautions]
    if entry.has_no_window:
        lines.append(f"No value: {reference}'s margin is too large for any price to be value")
    if entry.ev is not None and not entry.is_per_staked:
        lines.append(f"EV {PER_DECIDED_TEXT}")
    if figures.fair_odds is not None:
        lines.append(f"Fair {fair_text(figures.fair_odds)}")
    if figures.best is not None and figures.worst is not None and figures.median is not None:
        lines.append(
            f"{figures.count} bookmakers: {odds_text(figures.worst)} to "
            f"{odds_text(figures.best)}, median {odds_text(figures.median)}"
        )
    if figures.best_of_all is not None and figures.best_of_all != figures.best:
        lines.append(f"Best of all {odds_text(figures.best_of_all)}")
    if figures.doubted is not None:
        name, odds, _, caution = figures.doubted
        why = caution_text(caution, reference)
        lines.append(f"Doubted: {exact_odds_text(odds)} at {name}: {why}")
    return "\n".join(lines)


def _names(entry: Entry) -> str:
    return ", ".join(entry.figures.best_names) if isinstance(entry, SelectionEntry) else entry.name
