"""What all tests share: no screen, no user's folders, and real data where it lies."""

import asyncio
import errno
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from oddsdesk.base.numbers import choose_numbers, number_style

if TYPE_CHECKING:
    from oddsdesk.store.databases import Database
    from tests.kit.postgres import Postgres

pytest.register_assert_rewrite("tests.kit")
settings.register_profile("oddsdesk", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2_000)
settings.load_profile("oddsdesk")  # always the same examples; `--hypothesis-profile=search` seeks
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.setdefault("ODDSDESK_LANGUAGE", "en")  # whatever the developer's system speaks
# httpx would read the world's 140 authorities for each client, 36 ms; here is none, and none asked.
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)
os.environ.pop("SSL_CERT_FILE", None)  # it would be read instead
if find_spec("sniffio") is None:
    # httpcore would look for it four times a request, as ``network.http`` says.
    sys.modules["sniffio"] = None  # type: ignore[assignment]
# Without what Python compiled, each of the many programs that tests start would compile it again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell has what it starts in the background ignore interrupts, and so every test of one.
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Path:
    """The folder of real input next to the project; skips where it is missing."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    return SHARED_DATA


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own data and settings out of every test."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    return home


@pytest.fixture
def closed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that may not be read, whichever user runs the tests: the system call is faked."""
    folder = tmp_path / "closed"
    folder.mkdir()
    stat, access = Path.stat, os.access

    def refusing_stat(self: Path, **options: bool) -> os.stat_result:
        if folder in self.parents:
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return stat(self, **options)

    def refusing_access(path: "str | os.PathLike[str]", mode: int, **options: bool) -> bool:
        place = Path(path)
        if folder in place.parents or (place == folder and mode != os.F_OK):
            return False
        return access(path, mode, **options)

    monkeypatch.setattr(Path, "stat", refusing_stat)
    monkeypatch.setattr(os, "access", refusing_access)
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write; skips where nobody else can be become."""
    if sys.platform == "win32" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can act as two users")
    folder = Path(tempfile.mkdtemp(prefix="oddsdesk-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    """The one PostgreSQL server of the tests; ``url`` and ``url_with_tables`` give them room."""
    from tests.kit.postgres import running_postgres

    with running_postgres() as server:
        yield server


ENGINES = ("sqlite", "postgresql")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let every test that asks for an engine run on each of them."""
    parser.addoption(
        "--every-engine", action="store_true", help="run what is marked one_engine on each, too"
    )
    parser.addoption(
        "--every-season", action="store_true", help="count seasons again that take minutes, too"
    )


def _hear_signals() -> None:
    """Have programs hear signals that are ignored here: with `nohup`, or in a script's background.

    What is ignored stays so in each program that is started; what is handled does not.
    """
    for name in ("SIGINT", "SIGQUIT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_configure(config: pytest.Config) -> None:
    """Have xdist take the files in our order, not those of the most tests first."""
    _hear_signals()
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what asks for an engine on each, what no engine changes on the one of a file."""
    if "engine" not in metafunc.fixturenames:
        return
    on_one = metafunc.definition.get_closest_marker("one_engine") is not None
    every = not on_one or metafunc.config.getoption("every_engine")
    metafunc.parametrize("engine", ENGINES if every else ENGINES[:1], scope="module")


@pytest.fixture(scope="module")
def new_database(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Callable[[], Database]]":
    """Make databases of the engine that the test runs on."""
    from oddsdesk.store.databases import DatabaseUrl
    from tests.kit.made_files import with_tables

    server: Postgres | None = None
    urls: list[str] = []

    def make() -> "Database":
        nonlocal server
        if engine == "postgresql":
            server = request.getfixturevalue("postgres")
            urls.append(server.url_with_tables())
            return DatabaseUrl(urls[-1])
        return with_tables(tmp_path_factory.mktemp("database") / "odds.db")

    yield make
    if server is not None:
        server.drop(*urls)


@pytest.fixture
def database(new_database: "Callable[[], Database]") -> "Database":
    """A new database, of each engine in turn."""
    return new_database()


_KINDS = {
    "unit": "unit",
    "service": "service",
    "desk": "desk",
    "journeys": "journey",
    "durability": "durability",
}
"""Folders of tests, and the marker that all in them have."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its kind, its folder; files that take long come first.

    One that begins last keeps one processor, while the other has nothing left.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    skipped = pytest.mark.skip(reason="takes minutes: --every-season")
    for item in items:
        if item.get_closest_marker("every_season") and not config.getoption("every_season"):
            item.add_marker(skipped)
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        if folder in _KINDS:
            item.add_marker(_KINDS[folder])


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end: it takes 0.3 s to look at the tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_numbers() -> Iterator[None]:
    """Take back how a test chose to write numbers and dates."""
    before = number_style()
    yield
    choose_numbers(before)


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """Take back what a command run here does on a signal: later it would end the tests, with 0."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1")
    before = {each: signal.getsignal(each) for each in signal.Signals if each.name in names}
    yield
    for each, handler in before.items():
        if signal.getsignal(each) is not handler:
            signal.signal(each, handler)


@pytest.fixture(autouse=True)
def garbage_waits(request: pytest.FixtureRequest) -> None:
    """Collect nothing by chance once there are Qt objects, as the desk does (``Garbage``).

    One that dies on a thread of the ledger or server waits for the interpreter, whose holder may
    be waiting for Qt's lock of its signals.
    """
    if "qapp" in request.fixturenames:
        gc.disable()


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutines that ask for the application run on Qt's loop, all others on asyncio's own."""
    if "qapp" in getattr(item, "fixturenames", ()):
        return {"qt": _qt_loop}
    return {"asyncio": asyncio.new_event_loop}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let go of what Qt still holds while the application lives: later it would crash."""
    gc.unfreeze()
    if "PySide6.QtWidgets" not in sys.modules:
        return
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is not None:
        QApplication.clipboard().clear()
    for widget in QApplication.topLevelWidgets():
        widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def _qt_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtWidgets import QApplication

    from oddsdesk.desk.shell.loop import make_loop

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    gc.collect()  # a closed Qt loop that a server's thread collects takes its timers with it
    return make_loop(app)
