"""What was recorded, looked at afterwards: taken out, summed up, decided on again.

For Python users, the functions named here return pandas data frames (docs/research.md). They are
loaded on demand, since the desk and the commands must not load pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from oddsdesk.research.frames import (
        ResearchError,
        backtest,
        changes,
        closing,
        mean_by_game,
        quotes,
        results,
        scorecard,
    )

__all__ = [
    "ResearchError",
    "backtest",
    "changes",
    "closing",
    "mean_by_game",
    "quotes",
    "results",
    "scorecard",
]
_FRAMES: Final = "oddsdesk.research.frames"


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_FRAMES), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
