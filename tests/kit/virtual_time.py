"""An event loop whose time passes only where all wait for it, so that a day takes seconds."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time pass that would be waited."""
        assert timeout is not None, "everything waits for something that never comes"
        self.now_s += max(timeout, 0.0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, selector: _Selector) -> None:
        super().__init__(selector)
        self._passing = selector

    def time(self) -> float:
        return self._passing.now_s


def run_virtually(work: Callable[[Callable[[], float]], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function on such a loop; it is called with what tells the time in seconds."""
    selector = _Selector()
    with asyncio.Runner(loop_factory=lambda: _Loop(selector)) as runner:
        return runner.run(work(lambda: selector.now_s))
