"""`oddsdesk doctor`: what is installed, reachable and writable; prints no secrets."""

import errno
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum, auto
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from oddsdesk import __version__
from oddsdesk.base import places
from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.places import home_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.board.alerts.rules import RULES_FILE, RulesFileError, read_rules
from oddsdesk.cli.logs import FILE
from oddsdesk.cli.options import database_option
from oddsdesk.cli.own_records import settings_file, settings_problems
from oddsdesk.cli.terminal import plain
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.resources import Health
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.shell.display import missing_display, missing_qt, missing_qt_libraries
from oddsdesk.ledger.own_tables import (
    bands_file,
    bookmakers_file,
    known_bands,
    known_bookmakers,
    known_rules,
    known_weights,
    settlement_rules_file,
    weights_file,
)
from oddsdesk.ledger.promotions import known_promotions, promotions_file
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.edge.listener import ListenError, bind
from oddsdesk.server.settings import DEFAULT_PORT
from oddsdesk.store.databases import Database, DatabaseUrl, access_path, has_file, part_of_cluster
from oddsdesk.store.errors import NotYetError, StoreError
from oddsdesk.store.lock import DatabaseInUseError, Owner, check_in_place, owner_of
from oddsdesk.store.reader import misnamed_line, unpriced_line
from oddsdesk.store.sqlite import inspection
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import Store, open_store


class Mark(Enum):
    """What a finding means."""

    OK = auto()
    NOTE = auto()
    """Worth knowing, but nothing fails because of it."""
    BROKEN = auto()


class Finding(msgspec.Struct, frozen=True):
    """One thing that was checked, in one line."""

    name: str
    text: str
    mark: Mark = Mark.OK


class Section(msgspec.Struct, frozen=True):
    """Findings about one thing."""

    title: str
    findings: tuple[Finding, ...]


LEAST_FREE_BYTES: Final = 100 * 2**20
LEAST_YEAR: Final = 2026
"""An earlier year means a wrong clock: this program did not exist then."""
_DESK_PACKAGES: Final = ("PySide6-Essentials", "qasync")
_PACKAGES: Final = (
    "starlette",
    "uvicorn",
    "httptools",
    "uvloop",
    "websockets",
    "httpx",
    "msgspec",
    "sqlite-utils",
    "rapidfuzz",
    "platformdirs",
    "click",
    "tzdata",
    "keyring",
)
_OPTIONAL: Final = frozenset({"uvloop", "keyring"})


def has_desk() -> bool:
    """Return whether the desk is part of this installation, unlike the server's wheel or bundle."""
    if importlib.util.find_spec("PySide6") is not None:
        return True
    names = {dist.name for dist in importlib.metadata.distributions()}
    is_bundle = getattr(sys, "frozen", False)
    return not is_bundle and ("oddsdesk" in names or "oddsdesk-server" not in names)


def check_versions(*, desk: bool) -> Section:
    """List the versions of everything involved; only a desk needs Qt."""
    how = _("bundle") if getattr(sys, "frozen", False) else _("Python package")
    sqlite = inspection.sqlite_version()
    if inspection.has_wal_reset_bug():
        sqlite = _("{version} (has the WAL-reset bug: harmless here)").format(version=sqlite)
    return Section(
        "versions",
        (
            Finding("oddsdesk", f"{__version__} ({how})"),
            Finding("python", f"{platform.python_version()} {platform.python_implementation()}"),
            Finding("system", f"{platform.platform()} {platform.machine()}"),
            Finding("sqlite", sqlite),
            *_twice_installed(),
            *(_package(name) for name in (*(_DESK_PACKAGES if desk else ()), *_PACKAGES)),
        ),
    )


def check_paths(database: Database) -> Section:
    """List where files are, whether they are writable, and how much disk space is left."""
    portable = places.portable_folder()
    resources = places.resource_path("icons")
    return Section(
        "paths",
        (
            Finding("program", sys.executable),
            Finding("portable", str(portable) if portable else _("no (no `data` folder here)")),
            _resources(resources),
            *_database_files(database),
            _own_file("records", places.default_ledger),
            _own_file("settings", settings_file),
            _own_file("logs", lambda: places.log_folder() / FILE),
            *(() if isinstance(database, DatabaseUrl) else (_room(database),)),
        ),
    )


def _database_files(database: Database) -> tuple[Finding, ...]:
    if isinstance(database, DatabaseUrl):
        return (Finding("database", str(database)),)
    keys = _file("keys", access_path(database), needed=places.can_write(database))
    try:
        check_in_place(database)
    except StoreError:
        text = _("{path} (has been removed)")
        if os.access(database, os.F_OK):
            text = _("{path} (not the file in use)")
        return Finding("database", text.format(path=database), Mark.BROKEN), keys
    return _file("database", database, needed=not os.access(database, os.F_OK)), keys


def check_clock(now_ms: int) -> Section:
    """Report the time: the age of every price depends on it."""
    mark = Mark.OK if datetime.fromtimestamp(now_ms / 1000, UTC).year >= LEAST_YEAR else Mark.BROKEN
    offset = time.strftime("%z %Z")
    text = _("{time}, local offset {offset}").format(time=format_ms(now_ms), offset=offset)
    return Section("clock", (Finding("now", text, mark),))


def _twice_installed() -> tuple[Finding, ...]:
    """Warn if both packages are installed: they share files, so removing one breaks the other."""
    names = {dist.name for dist in importlib.metadata.distributions()}
    if not names >= {"oddsdesk", "oddsdesk-server"}:
        return ()
    text = _("both oddsdesk and oddsdesk-server, which share files: uninstall both, install one")
    return (Finding("installed", text, Mark.NOTE),)


def _package(name: str) -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        if name in _OPTIONAL or (name == "PySide6-Essentials" and _has_all_of_pyside()):
            return Finding(name, _("not installed"), Mark.NOTE)
        return Finding(name, _("not installed"), Mark.BROKEN)


def _has_all_of_pyside() -> bool:
    """Return whether the full PySide6 package is installed, which includes Essentials."""
    return any(dist.name == "PySide6" for dist in importlib.metadata.distributions())


def _resources(icons: Path) -> Finding:
    found = icons.is_dir() and any(icons.iterdir())
    mark = Mark.OK if found else Mark.BROKEN
    text = "{path}" if found else _("{path} is missing")
    return Finding("resources", text.format(path=icons.parent), mark)


def _file(name: str, path: Path, *, needed: bool) -> Finding:
    try:
        state = _("exists") if path.exists() else _("not there yet")
    except OSError as error:
        state = _("cannot be checked: {reason}").format(reason=translated(error_text(error)))
    seems_writable, refusal = places.can_write(path), places.refused_write(path)
    if seems_writable and refusal is None:
        return Finding(name, _("{path} ({state}, writable)").format(path=path, state=state))
    text, why = _("{path} ({state}, not writable)"), ""
    if refusal is not None and (seems_writable or refusal.errno == errno.EROFS):
        text = _("{path} ({state}, not writable: {reason})")
        why = translated(error_text(refusal))
    # A disk that reports itself writable but refuses a write is always broken.
    mark = Mark.BROKEN if needed or seems_writable else Mark.NOTE
    return Finding(name, text.format(path=path, state=state, reason=why), mark)


def _own_file(name: str, place: Callable[[], Path]) -> Finding:
    try:
        return _file(name, place(), needed=False)
    except places.NoHomeError as error:
        return Finding(name, translated(str(error)), Mark.NOTE)


def _room(database: Path) -> Finding:
    folder = next(each for each in database.absolute().parents if os.access(each, os.F_OK))
    if not os.access(folder, os.W_OK):
        return Finding("room", _("{folder} is not writable").format(folder=folder), Mark.NOTE)
    free = shutil.disk_usage(folder).free
    mark = Mark.OK if free >= LEAST_FREE_BYTES else Mark.BROKEN
    return Finding("room", _("{size:,.0f} MiB free").format(size=num(free / 2**20)), mark)


def check_own_files() -> Section:
    """List what in the user's own files was ignored."""
    return Section(
        "own files",
        (
            *_found("bookmakers", lambda: bookmakers_file().exists(), _bookmakers),
            *_found("settlement", lambda: settlement_rules_file().exists(), _settlement),
            *_found("bands", lambda: bands_file().exists(), _bands),
            *_found("weights", lambda: weights_file().exists(), _weights),
            *_found("promotions", lambda: promotions_file().exists(), _promotions),
            *_found("alerts", lambda: (places.settings_folder() / RULES_FILE).exists(), _rules),
            *_found("settings", lambda: settings_file().exists(), settings_problems),
        ),
    )


def _found(
    name: str, is_there: Callable[[], bool], problems: Callable[[], list[str]]
) -> list[Finding]:
    try:
        if not is_there():
            return [Finding(name, _("no file of your own"))]
        broken = [Finding(name, translated(problem), Mark.BROKEN) for problem in problems()]
    except places.NoHomeError as error:
        return [Finding(name, translated(str(error)), Mark.NOTE)]
    except OSError as error:
        text = _("cannot be checked: {reason}").format(reason=translated(error_text(error)))
        return [Finding(name, text, Mark.BROKEN)]
    return broken or [Finding(name, _("read without errors"))]


def _bookmakers() -> list[str]:
    return known_bookmakers().problems


def _settlement() -> list[str]:
    return known_rules(known_bookmakers().profiles).problems


def _bands() -> list[str]:
    return known_bands(DEFAULT_METHOD).problems


def _weights() -> list[str]:
    return known_weights().problems


def _promotions() -> list[str]:
    return known_promotions().problems


def _rules() -> list[str]:
    try:
        read_rules(places.settings_folder() / RULES_FILE)
    except RulesFileError as error:
        return [str(error)]
    return []


def check_display() -> Section:
    """Report whether a window could be opened; a machine without a screen is not broken."""
    named = {name: os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")}
    screen = ", ".join(f"{name}={value or _('unset')}" for name, value in named.items())
    problem = missing_display()
    shown = Finding("display", screen)
    if problem is not None:
        shown = Finding("display", f"{screen}; {translated(problem)}", Mark.NOTE)
    trouble = missing_qt() or missing_qt_libraries()
    if trouble is None:
        return Section("window", (shown, Finding("Qt", _("libraries load"))))
    mark = Mark.BROKEN if problem is None else Mark.NOTE
    return Section("window", (shown, Finding("Qt", translated(trouble), mark)))


def check_keyring() -> Section:
    """Report where keys of remote services would be stored, without opening the keyring."""
    if importlib.util.find_spec("keyring") is None:
        text = _("not installed (package keyring); keys last for the session or go to a file")
        return Section("keyring", (Finding("keyring", text, Mark.NOTE),))
    from keyring import get_keyring  # noqa: PLC0415 - optional, and it asks D-Bus

    try:
        backend = get_keyring()
        usable = backend.priority > 0
    except Exception as error:  # noqa: BLE001 - backends of others raise what they like
        text = _("fails: {reason}").format(reason=error)
        return Section("keyring", (Finding("keyring", text, Mark.NOTE),))
    name = f"{type(backend).__module__}.{type(backend).__name__}"
    if usable:
        return Section("keyring", (Finding("keyring", name),))
    text = _("{name} stores nothing; keys last for the session or go to a file").format(name=name)
    return Section("keyring", (Finding("keyring", text, Mark.NOTE),))


_PROBE_S: Final = 4.0
"""Longer than the 3 s that a server waits for its database before it reports that it hangs."""
_MOST_BYTES: Final = 65_536


def check_server(number: int, database: Database) -> Section:
    """Report whether the port is free or who has it, and the health of a running server."""
    port, listening = _port(number)
    owner, running = _running(database)
    if owner is None or not owner.url:
        return Section("server", (port, running, *_condition(listening)))
    told = _health(owner.url)
    silent = _("{url} does not answer").format(url=owner.url)
    silence = Finding("health", silent, Mark.BROKEN)
    return Section("server", (port, running, *(_condition(told) if told else [silence])))


def _port(number: int) -> tuple[Finding, Health | None]:
    """Check whether a port is free; also return the health of an oddsdesk that has it."""
    try:
        bind("127.0.0.1", number).close()
    except ListenError as error:
        health = _health(f"http://127.0.0.1:{number}", f"https://127.0.0.1:{number}")
        text = translated(str(error))
        if health is not None:
            version = plain(health.version)
            text = _("{port} is oddsdesk {version}").format(port=number, version=version)
        return Finding("port", text, Mark.NOTE), health
    return Finding("port", _("{port} is free").format(port=number)), None


def _running(database: Database) -> tuple[Owner | None, Finding]:
    """Return which process serves the database, if it is a file, with a line about it."""
    if isinstance(database, DatabaseUrl):
        text = _("several servers, on several machines, may run on this database")
        return None, Finding("server", text)
    try:
        owner = owner_of(database)
    except DatabaseInUseError as error:
        return None, Finding("server", translated(str(error)), Mark.NOTE)
    if owner is None:
        return None, Finding("server", _("none is running on this database"))
    text = _("process {pid} runs on this database ({place})")
    place = owner.url or _("starting")
    return owner, Finding("server", text.format(pid=owner.pid, place=place))


def _condition(health: Health | None) -> Iterator[Finding]:
    """Yield the state that a server reports, such as an expired certificate or a refused feed."""
    if health is None:
        return
    if health.status == "ok":
        yield Finding("health", translated(health.status))
    for reason in health.reasons:
        text = f"{translated(health.status)}: {translated(reason)}"
        yield Finding("health", plain(text), Mark.BROKEN)


def _health(*urls: str) -> Health | None:
    """Return the health of the oddsdesk at one of these addresses; None if there is none."""
    for url in urls:
        try:
            return msgspec.json.decode(_asked(f"{url}/api/health"), type=Health)
        except TimeoutError:  # no answer over one scheme means none over the other
            return None
        except (OSError, HTTPException, msgspec.MsgspecError):
            continue
    return None


def _asked(url: str) -> bytes:
    """Return what this machine answers; certificates are not checked, none is for 127.0.0.1."""
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unchecked)
    )
    try:
        with opener.open(url, timeout=_PROBE_S) as answer:
            return bytes(answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as refusal:  # 503: the health says why
        with refusal:
            return refusal.read(_MOST_BYTES)


def check_odds_file(path: Path, now_ms: int, *, full: bool) -> Section:
    """Report what the odds file holds and whether it is intact."""

    def look_at_odds() -> list[Finding]:
        return _contents(path, now_ms, inspection.count_rows(path))

    try:
        check_in_place(path)
    except StoreError as error:
        return Section("database", (Finding("odds", translated(str(error)), Mark.BROKEN),))
    return Section("database", _of_file("odds", path, ODDS, look_at_odds, full=full))


def check_access_file(path: Path, *, full: bool) -> Section:
    """Report whether the file of accounts and keys is intact; no key is printed."""
    access = access_path(path)

    def look_at_keys() -> list[Finding]:
        text = _("{count} active").format(count=inspection.count_active_keys(access))
        return [Finding("keys", text)]

    return Section("keys", _of_file("keys", access, ACCESS, look_at_keys, full=full))


def _of_file(
    name: str, path: Path, schema: Schema, look: Callable[[], list[Finding]], *, full: bool
) -> tuple[Finding, ...]:
    """Return what ``look`` finds in a file of this version, and whether the file is intact."""
    try:
        if not has_file(path):
            text = _("{name} does not exist yet; the first start creates it").format(name=path.name)
            return (Finding(name, text, Mark.NOTE),)
    except StoreError as error:
        return (Finding(name, translated(str(error)), Mark.BROKEN),)
    size = Finding("size", _sizes(path))
    try:
        return (size, *_unless_waiting(name, look), _damage(path, schema, full=full))
    except StoreError as error:
        return size, Finding(name, translated(str(error)), Mark.BROKEN)


def _unless_waiting(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """Return the findings; a file that waits for the next start is not broken."""
    try:
        return look()
    except NotYetError as error:
        return [Finding(name, translated(str(error)), Mark.NOTE)]


def check_postgres(database: DatabaseUrl, now_ms: int) -> tuple[Section, Section]:
    """Report what a PostgreSQL database holds, and how many keys; no key is printed."""
    try:
        found = part_of_cluster("inspection")(database.url)
        counts = (found.games, found.quotes)
        findings = (
            Finding("server", f"PostgreSQL {found.server}"),
            Finding("size", f"{num(found.size / 2**20):,.1f} MiB"),
            *_contents(database, now_ms, counts),
            Finding("check", _("use pg_amcheck to look for damage"), Mark.NOTE),
        )
        keys = Finding("keys", _("{count} active").format(count=found.active_keys))
    except StoreError as error:
        mark = Mark.NOTE if isinstance(error, NotYetError) else Mark.BROKEN
        findings = (Finding("odds", translated(str(error)), mark),)
        keys = Finding("keys", _("in the same database"), Mark.NOTE)
    return Section("database", findings), Section("keys", (keys,))


def _contents(database: Database, now_ms: int, counts: tuple[int, int]) -> list[Finding]:
    store = open_store(database, read_only=True)
    try:
        reader = store.reader()
        last = reader.last_scraped_at()
        simulated, shifted = reader.is_simulated(now_ms), reader.is_shifted(now_ms)
        keep_days = reader.keep_days()
        reference = _reference(store)
    finally:
        store.close()
    newest = Finding("last scrape", pgettext("a time", "none") if last is None else format_ms(last))
    if last is not None and last > now_ms + CLOCK_TOLERANCE_MS:
        text = _(
            "{time}, which is in this machine's future: if the clock is wrong, set it; otherwise "
            "do nothing, prices appear once they are seen again"
        )
        newest = Finding("last scrape", text.format(time=format_ms(last)), Mark.BROKEN)
    games, quotes = counts
    odds = Finding(
        "odds", _("{games:,} games, {quotes:,} quotes").format(games=num(games), quotes=num(quotes))
    )
    if last is None:
        text = _("{counts}: no odds to show until you ingest or import some, or run a feed")
        odds = Finding("odds", text.format(counts=odds.text), Mark.NOTE)
    yes, no = pgettext("answer", "yes"), pgettext("answer", "no")
    kept = _("kept in full")
    if keep_days:
        kept = ngettext("kept for {count:,} days", "kept for {count:,} days", keep_days)
    return [
        odds,
        reference,
        Finding("history", kept.format(count=num(keep_days))),
        Finding("simulated", yes if simulated else no),
        Finding("moved to now", _("yes: old odds are shown as if current") if shifted else no),
        newest,
    ]


def _reference(store: Store) -> Finding:
    """Name the sharp book; add if nothing can be compared because it has no prices."""
    reader = store.reader()
    name = reader.unpriced_reference()
    if (misnamed := misnamed_line(reader)) is not None:
        return Finding("reference", translated(misnamed), Mark.BROKEN)
    if name is not None:
        return Finding("reference", translated(unpriced_line(name, ())), Mark.NOTE)
    return Finding("reference", store.reference)


def _damage(path: Path, schema: Schema, *, full: bool) -> Finding:
    found = inspection.damage(path, schema, full=full)
    if found:
        text = _("damaged: {problem} ({count} in all)")
        problem = translated(found[0])
        return Finding("check", text.format(problem=problem, count=len(found)), Mark.BROKEN)
    if full:
        return Finding("check", _("no damage (read in full)"))
    return Finding("check", _("no damage (quick check; --full reads everything)"))


def _sizes(path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")
    text = "{size:,.1f} MiB"
    if has_log := log.exists():
        text = _("{size:,.1f} MiB, {log:,.1f} MiB write-ahead log")
    log_size = log.stat().st_size / 2**20 if has_log else 0
    return text.format(size=num(path.stat().st_size / 2**20), log=num(log_size))


_MARKS = {Mark.OK: _("ok"), Mark.NOTE: _("note"), Mark.BROKEN: _("BAD")}

_port_option = click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help=_("Port that `serve` would listen on."),
)
_full_option = click.option(
    "--full", is_flag=True, help=_("Check the whole database for damage, which can take long.")
)

_json_option = click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON: an array with one object per section.")
)


@click.command()
@database_option
@_port_option
@_full_option
@_json_option
def doctor(database: Database, port: int, full: bool, as_json: bool) -> None:
    """Check this installation, for a bug report.

    It lists what is installed, reachable and writable. No keys are printed. The exit status is 1 if
    something is broken. Where only the server is installed, the window is not checked.

    \b
    Example:
      oddsdesk doctor
      oddsdesk doctor --json
      oddsdesk doctor --full --database odds.db
    """
    now_ms = system_clock()
    if isinstance(database, DatabaseUrl):
        contents = check_postgres(database, now_ms)
    else:
        contents = (
            check_odds_file(database, now_ms, full=full),
            check_access_file(database, full=full),
        )
    desk = has_desk()
    sections = [
        check_versions(desk=desk),
        check_paths(database),
        check_own_files(),
        *contents,
        check_server(port, database),
        check_clock(now_ms),
        *((check_display(), check_keyring()) if desk else ()),
    ]
    _report(sections, as_json)


def _report(sections: Sequence[Section], as_json: bool) -> None:
    """Print the findings; exit with 1 if something is broken."""
    broken = sum(each.mark is Mark.BROKEN for section in sections for each in section.findings)
    if as_json:
        click.echo(json.dumps(list(map(_fields, sections)), indent=2, ensure_ascii=False))
    else:
        for line in _lines(sections, broken):
            click.echo(line)
    if broken:
        sys.exit(1)


def _fields(section: Section) -> dict[str, Any]:
    """Return a section in the form that ``--json`` prints."""
    findings = [
        {"name": each.name, "text": _without_home(each.text), "mark": each.mark.name.lower()}
        for each in section.findings
    ]
    return {"title": section.title, "findings": findings}


_TITLES: Final = {
    "alerts": _("alerts"),
    "bands": _("bands"),
    "bookmakers": _("bookmakers"),
    "check": _("check"),
    "clock": _("clock"),
    "database": _("database"),
    "display": _("display"),
    "health": _("health"),
    "history": _("history"),
    "installed": _("installed"),
    "keyring": _("keyring"),
    "keys": _("keys"),
    "last scrape": _("last scrape"),
    "logs": _("logs"),
    "moved to now": _("times shifted"),
    "now": _("now"),
    "odds": _("odds"),
    "own files": _("own files"),
    "paths": _("paths"),
    "port": _("port"),
    "portable": _("portable"),
    "program": _("program"),
    "promotions": _("promotions"),
    "records": _("records"),
    "reference": _("sharp book"),
    "resources": _("resources"),
    "room": _("disk space"),
    "server": _("server"),
    "settings": _("settings"),
    "settlement": _("settlement"),
    "simulated": _("simulated"),
    "size": _("size"),
    "system": _("system"),
    "versions": _("versions"),
    "weights": _("weights"),
    "window": _("window"),
}
"""What people read for names, which stay the same in JSON; others are names of packages."""


def _lines(sections: Iterable[Section], broken: int) -> Iterator[str]:
    width = max(map(len, _MARKS.values()))
    for section in sections:
        yield _TITLES.get(section.title, section.title)
        for finding in section.findings:
            name = _TITLES.get(finding.name, finding.name)
            text = " ".join(f"{name}: {finding.text}".split())
            yield f"  {_MARKS[finding.mark]:{width}}  {_without_home(text)}"
    yield ""
    text = ngettext("{count} thing is broken (BAD)", "{count} things are broken (BAD)", broken)
    yield text.format(count=broken) if broken else _("nothing is broken")


def _without_home(text: str) -> str:
    """Replace the user's folder by ~, since reports are shown to others."""
    home = home_folder()
    return text if home is None or home == home.parent else text.replace(str(home), "~")
