"""Takes the hook on `import` away that PySide6 sets when it is loaded."""

import builtins


def restore_import() -> None:
    """Load Qt, and let what is imported after it be imported as without Qt.

    WORKAROUND PySide6: the hook reads the source of every module that is imported later, to
    see whether it may use ``from __feature__`` (which we do not): 50 to 70 ms of a start, and
    the sources of 470 modules, 11 MB, stay in ``linecache``.
    https://github.com/napari/napari/issues/8584
    """
    import PySide6.QtCore  # noqa: F401, PLC0415 - it has to be loaded, and no display, no Qt

    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original
