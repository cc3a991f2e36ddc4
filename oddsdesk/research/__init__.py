"""What was recorded, looked at afterwards: taken out, summed up, decided on again.

For Python users, the functions named here return pandas data frames (docs/research.md). They are
loaded on demand, since the desk and the commands must not load pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from oddsdesk.research.arguments import ResearchError
    from oddsdesk.research.backtest_frames import backtest, grid
    from oddsdesk.research.frames import (
        changes,
        closing,
        mean_by_game,
        quotes,
        results,
        scorecard,
        series,
    )

__all__ = [
    "ResearchError",
    "backtest",
    "changes",
    "closing",
    "grid",
    "mean_by_game",
    "quotes",
    "results",
    "scorecard",
    "series",
]
_ELSEWHERE: Final = {
    "ResearchError": "arguments",
    "backtest": "backtest_frames",
    "grid": "backtest_frames",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'frames')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
