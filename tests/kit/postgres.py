"""A PostgreSQL server of the tests' own, with a fresh schema or database for who asks."""

import contextlib
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote

import psycopg

from oddsdesk.cluster.postgres.connections import PreparingConnection, ServerAddress
from oddsdesk.cluster.postgres.schema import STEPS, bring_up_to_date

SUPERUSER = "postgres"
_FAST = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "autovacuum": "off",
}
_TEMPLATE = "with_tables"


def undo_steps(connection: Any, first: tuple[LiteralString, ...]) -> None:
    """Drop what this step and later ones created; what they altered or dropped stays so."""
    place = STEPS.index(first)
    statements = "\n".join(text for step in STEPS[place:] for text in step)
    for kind, name in re.findall(r"CREATE (?:OR REPLACE )?(TABLE|VIEW) (\w+)", statements):
        connection.execute(f"DROP {kind} IF EXISTS {name} CASCADE")
    connection.execute("UPDATE oddsdesk_schema SET steps = %s", (place,))


class Postgres:
    """A running server that only this machine's tests reach, by a socket in its folder."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = _FAST) -> None:
        self.folder = folder
        self._settings = settings
        self._made = 0
        self._copied = ""

    @property
    def server_url(self) -> str:
        """The URL of its one database."""
        return self._where()

    def url(self) -> str:
        """Make an empty schema; return the URL of a database that is nothing but that."""
        name = self._next_name()
        self.order(f"CREATE SCHEMA {name}")
        return self._where(options=f"-csearch_path={name}")

    def url_with_tables(self) -> str:
        """Make a database with the tables in it: to copy them takes a third of making them."""
        if not self._copied:
            self._copied = self._make_template()
        name = self._next_name()
        self.order(f"CREATE DATABASE {name} {self._copied}")
        return self._where(name)

    def drop(self, *urls: str) -> None:
        """Drop databases that were made with tables, 8 MB each; one still in use stays."""
        names = (url.partition("@/")[2].partition("?")[0] for url in urls)
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            for name in names:
                with contextlib.suppress(psycopg.errors.ObjectInUse):
                    connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]

    def connect(self, url: str) -> PreparingConnection:
        """Connect as the store does; callers begin their own transactions."""
        return ServerAddress(url).connect()

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server; ``immediate`` is as if it were killed."""
        _run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    @property
    def pid(self) -> int:
        """The process that begins all others of it."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c {name}={value}" for name, value in self._settings.items())
        where = ("-D", self.folder / "data", "-l", self.folder / "log")
        _run("pg_ctl", *where, "-o", f"-k {self.folder} {options}", "-w", "-s", "start")

    def promote(self) -> None:
        """Have a standby take writes, and wait until it does."""
        _run("pg_ctl", "-D", self.folder / "data", "-w", "promote")

    def _make_template(self) -> str:
        """Make what is copied; return how that is said."""
        self.order(f"CREATE DATABASE {_TEMPLATE}")
        with contextlib.closing(self.connect(self._where(_TEMPLATE))) as connection:
            bring_up_to_date(connection, "the tests'")
            is_told_how = connection.info.server_version >= 150_000
        return f"TEMPLATE {_TEMPLATE}{' STRATEGY file_copy' if is_told_how else ''}"

    def _next_name(self) -> str:
        self._made += 1
        return f"s{self._made}"

    def order(self, statement: str) -> None:
        """Run a statement on its one database."""
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def _where(self, database: str = "postgres", options: str = "") -> str:
        where = f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self.folder))}"
        return f"{where}&options={quote(options)}" if options else where


@contextlib.contextmanager
def running_postgres(**settings: str) -> Iterator[Postgres]:
    """Run a server until the block ends; ``settings`` are PostgreSQL's own."""
    alike = ("-A", "trust", "-U", SUPERUSER, "--locale=C", "-E", "UTF8", "--no-sync")
    with _running(("initdb", *alike), settings) as server:
        yield server


@contextlib.contextmanager
def running_standby(primary: Postgres, **settings: str) -> Iterator[Postgres]:
    """Run a server until the block ends that follows another, as it is now."""
    from_there = ("-h", primary.folder, "-U", SUPERUSER, "-R", "-X", "stream", "-c", "fast")
    with _running(("pg_basebackup", *from_there, "--no-sync"), settings) as server:
        yield server


@contextlib.contextmanager
def _running(made_by: tuple[object, ...], settings: Mapping[str, str]) -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if (user := _other_user()) is not None:
            shutil.chown(folder, user)
        program, *how = made_by
        _run(str(program), "-D", folder / "data", *how)
        server = Postgres(folder, _FAST | settings)
        server.start()
        try:
            yield server
        finally:
            if (folder / "data" / "postmaster.pid").exists():  # else a test stopped it
                server.stop()


def _other_user() -> str | None:
    """Return the user that runs the server where we are root, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return SUPERUSER if SUPERUSER in known else "nobody"


def _run(program: str, *arguments: object) -> None:
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    places = os.pathsep.join([*map(str, debian), os.environ["PATH"]])
    found = shutil.which(program, path=places)
    assert found is not None, f"PostgreSQL is not installed: there is no {program}"
    command = [found, *map(str, arguments)]
    user = _other_user()
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, stdin=quiet, stdout=quiet, user=user, cwd="/")


def _version(programs: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in programs.parent.name.split(".") if part.isdecimal())
