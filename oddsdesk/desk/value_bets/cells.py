"""How value bets and near misses look in a cell: names, ages, edges; and how wide they are."""

from typing import Final

from oddsdesk.board.verdict_words import PER_DECIDED
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.ui.formatting import edge_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import MINUTE_MS, age_text
from oddsdesk.pricing.assessment import Assessment

SELECTION_WIDTH: Final = Column(
    "Timberwolves −113.5 v O",
    Align.LEFT,
    stretches=True,
    likes="Timberwolves −113.5 at Oklahoma City Thunder",
    widest="Minnesota Timberwolves −113.5 live at Oklahoma City Thunder or so",
    narrow="Over 113.5 v O",
)
MARKET_WIDTH: Final = Column(
    "Match result · 1st Quarter",
    Align.LEFT,
    stretches=True,
    widest="Both teams to score · 1st Half",
)
BOOKMAKER_WIDTH: Final = Column(
    "William Hill UK",
    Align.LEFT,
    stretches=True,
    likes="Betfair Exchange",
    widest="Betfair Exchange Australia",
    narrow="Pinnacle",
)

EV_WIDTH: Final = Column("+10.00 %", note_sample=PER_DECIDED)


def market_text(market_type: str, sport: str, period: int) -> str:
    """Return a market with its period, which the whole game does not need."""
    title = market_title(market_type)
    return f"{title} · {period_label(sport, period)}" if period else title


def age_cell(since_ms: int, now_ms: int) -> Cell:
    """Return the cell of an age, which changes by itself."""
    age = max(0, now_ms - since_ms)
    step = MINUTE_MS if age >= MINUTE_MS else 1_000
    return Cell(age_text(age), TextRole.NOTE, repaint_at_ms=now_ms + step - age % step)


def seen_cell(scraped_at: int | None, now_ms: int) -> Cell:
    """Return the cell of when a price was last seen; a question mark where nobody told."""
    return Cell("?", TextRole.NOTE) if scraped_at is None else age_cell(scraped_at, now_ms)


def ev_cell(found: Assessment) -> Cell:
    """Return the cell of a true EV: in the colour of value only where it is value."""
    if found.ev_pct is None:
        return Cell("–", TextRole.NOTE)
    ink = TextRole.VALUE if found.is_value else TextRole.NOTE
    unit = "" if found.per == "staked" else PER_DECIDED
    return Cell(edge_text(found.ev_pct), ink, is_strong=found.is_value, note=unit)
