"""How value bets and near misses look in a cell: names, ages, edges; and how wide they are."""

from typing import Final

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.last_seen import LastSeen
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.ui.formatting import signed_text
from oddsdesk.desk.ui.table.cells import REPAINT_MS, Align, Cell, Column
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import MINUTE_MS, age_text

SELECTION_WIDTH: Final = Column(
    "Minnesota Timberwolves −113.5 v",
    Align.LEFT,
    stretches=True,
    likes="Timberwolves −113.5 at Oklahoma City Thunder",
    widest="Minnesota Timberwolves −113.5 live at Oklahoma City Thunder or so",
)
MARKET_WIDTH: Final = Column(
    "Match result · 1st Quarter",
    Align.LEFT,
    stretches=True,
    widest="Both teams to score · 1st Half",
)
BOOKMAKER_WIDTH: Final = Column(
    "Betfair Exchange",
    Align.LEFT,
    stretches=True,
    likes="Betfair Exchange UK",
    widest="Betfair Exchange Australia",
)
_AGE_INKS: Final = (TextRole.SOFT, TextRole.NOTE, TextRole.NOTE, TextRole.NOTE)


def market_text(market_type: str, sport: str, period: int) -> str:
    """Return a market with its period, which the whole game does not need."""
    title = market_title(market_type)
    return f"{title} · {period_label(sport, period)}" if period else title


def age_cell(since_ms: int, now_ms: int) -> Cell:
    """Return the cell of an age, which changes by itself."""
    age = max(0, now_ms - since_ms)
    step = MINUTE_MS if age >= MINUTE_MS else 1_000
    return Cell(age_text(age), TextRole.NOTE, repaint_at_ms=now_ms + step - age % step)


def seen_cell(seen: LastSeen, now_ms: int) -> Cell:
    """Return the cell of when a price was last seen; ``≥``: some time before that."""
    cell = age_cell(seen.at, now_ms)
    text = cell.text if seen.is_known else f"≥ {cell.text}"
    return cell._replace(text=text, ink=_AGE_INKS[seen.freshness])


def paled(cell: Cell, freshness: Freshness, now_ms: int) -> Cell:
    """Return a cell in the brightness of its price's age."""
    if freshness is Freshness.FRESH or cell.ink in (TextRole.NOTE, TextRole.GHOST):
        ink = cell.ink
    else:
        ink = TextRole.SOFT if freshness is Freshness.AGEING else TextRole.NOTE
    return cell._replace(ink=ink, repaint_at_ms=min(cell.repaint_at_ms, now_ms + REPAINT_MS))


def ev_cell(true_ev: float | None) -> Cell:
    """Return the cell of a true EV."""
    if true_ev is None:
        return Cell("–", TextRole.NOTE)
    return Cell(f"{signed_text(true_ev)} %", TextRole.VALUE, is_strong=True)
