"""What of Qt the bundle leaves out, crossed with what is imported (issue 5)."""

import ast
from pathlib import Path

import PySide6
import pytest
from bundling.qt_parts import LEFT_OUT, USED, keeps_plugin

ROOT = Path(__file__).parents[3]


def imported_modules() -> set[str]:
    found = set()
    for file in (ROOT / "oddsdesk").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
                found.add(str(node.module).split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "PySide6":
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.Import):
                names = (alias.name.split(".") for alias in node.names)
                found.update(parts[1] for parts in names if parts[0] == "PySide6" and parts[1:])
    return found


def test_nothing_that_is_imported_is_left_out():
    assert not imported_modules() & LEFT_OUT


def test_everything_that_is_imported_is_in_the_bundle():
    assert imported_modules() <= USED


def test_each_module_of_qt_is_on_one_side():
    """A new Qt brings new modules: they are not to slip in."""
    there = {path.name.split(".")[0] for path in Path(PySide6.__path__[0]).glob("Qt*.abi3.so")}
    assert there <= USED | LEFT_OUT
    assert not USED & LEFT_OUT


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("platforms/libqxcb.so", True),
        ("platforms/libqeglfs.so", False),
        ("platformthemes/libqgtk3.so", False),
        ("tls/libqopensslbackend.so", False),
    ],
)
def test_plugins_are_kept_by_name(path: str, kept: bool):
    assert keeps_plugin(path) is kept


def test_the_plugins_of_this_machine_are_there():
    plugins = Path(PySide6.__path__[0], "Qt", "plugins")
    if not plugins.is_dir():
        pytest.skip("PySide6 is laid out in another way here")
    kept = [
        path
        for path in plugins.glob("*/*.so")
        if keeps_plugin(path.relative_to(plugins).as_posix())
    ]
    assert len(kept) >= 8
