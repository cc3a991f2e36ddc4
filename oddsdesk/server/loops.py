"""The event loop of a server: made explicitly, whatever policy others have set."""

import asyncio
import importlib.util
import sys


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a fresh loop, uvloop's where there is one.

    On Python 3.11 qasync sets the global policy; a loop made through it in another thread
    would be Qt's.
    """
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    if importlib.util.find_spec("uvloop") is not None:
        import uvloop  # noqa: PLC0415 - not on every platform

        return uvloop.new_event_loop()
    return asyncio.SelectorEventLoop()
