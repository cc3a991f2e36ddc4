"""Scan the packages that we pin for known vulnerabilities; `.ci/nightly` does so each night.

    python packaging/advisories.py FOLDER [--osv-url URL]

pip-audit asks OSV (osv.dev, or ``ODDSDESK_OSV_URL``). Advisories in
`packaging/advisories.toml` are ignored until their last day. FOLDER keeps the date of the last
successful scan.

Exit status:
    0: nothing is known; or no source answered, and the last scan is at most 7 days old (a warning)
    1: a pinned package has a known vulnerability
    2: `packaging/advisories.toml` has a mistake
    3: no source answered, and FOLDER has no successful scan of the last 7 days
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGING = Path(__file__).parent
PINNED = ("constraints.txt", "hashes.txt")
OSV = "https://api.osv.dev/v1/query"
MOST_DAYS = 7
LIMIT_S = 900.0
STATE = "last-advisory-scan.json"
FOUND, MISTAKEN, OVERDUE = 1, 2, 3


class NotScannedError(Exception):
    """No source answered, or not for all packages; the message is one line."""


class ListError(Exception):
    """The list of ignored advisories has a mistake; the message is one line."""


def pins() -> list[str]:
    """Return all pinned packages of all systems and Pythons, as ``name==version``."""
    found = {}
    for name in PINNED:
        text = (PACKAGING / name).read_text("utf-8")
        for package, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
            folded = re.sub(r"[-_.]+", "-", package).lower()
            found[folded, version] = f"{folded}=={version}"
    return sorted(found.values())


def ignored(path: Path) -> dict[str, datetime.date]:
    """Return the last day on which each listed advisory is ignored, by its id.

    Raises:
        ListError: an entry lacks something.
    """
    try:
        listed = tomllib.loads(path.read_text("utf-8")).get("ignored", [])
    except tomllib.TOMLDecodeError as error:
        raise ListError(f"{path.name}: {error}") from error
    days = {}
    for number, entry in enumerate(listed, 1):
        wanted = {"id": str, "reason": str, "until": datetime.date}
        for key, kind in wanted.items():
            if not isinstance(entry.get(key), kind) or not entry[key]:
                raise ListError(f"{path.name}: entry {number} needs `{key}`")
        days[entry["id"]] = entry["until"]
    return days


def scan(url: str) -> list[dict[str, Any]]:
    """Return the pinned packages with their known vulnerabilities, as pip-audit prints them.

    Raises:
        NotScannedError: the source did not answer for all of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        listed, told = Path(folder, "pins.txt"), Path(folder, "told.json")
        wanted = pins()
        listed.write_text("\n".join(wanted) + "\n", "utf-8")
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(listed)]
        command += ["--no-deps", "--disable-pip", "--vulnerability-service", "osv"]
        command += ["--osv-url", url, "--aliases", "on", "--progress-spinner", "off"]
        command += ["--cache-dir", folder, "--format", "json", "--output", str(told)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
            packages = json.loads(told.read_text("utf-8"))["dependencies"]
        except subprocess.TimeoutExpired as error:
            raise NotScannedError(f"no answer within {LIMIT_S:g} s") from error
        except (OSError, ValueError, KeyError) as error:
            raise NotScannedError(cause(done.stderr)) from error
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    if skipped or len(packages) != len(wanted):
        missing = len(wanted) - len(packages) + len(skipped)
        raise NotScannedError(f"{missing} of {len(wanted)} packages were not looked up")
    return packages


def cause(stderr: str) -> str:
    """Return why pip-audit failed, from the last line of its standard error, shortened."""
    line = (stderr.strip().splitlines() or ["pip-audit gave no reason"])[-1]
    # `ConnectionError: ... (Caused by NewConnectionError("HTTPSConnection(...): CAUSE"))`
    if nested := re.search(r"""Caused by \w+\((['"]?)(.+)\1\)\)$""", line):
        line = nested[2].split("): ", 1)[-1].split(">: ", 1)[-1]
    return line if len(line) <= 150 else f"{line[:149]}…"


def known(packages: list[dict[str, Any]]) -> Iterator[tuple[str, set[str], str]]:
    """Yield each vulnerability: the package, its ids, and a line that says what to do."""
    for package in packages:
        name = f"{package['name']} {package['version']}"
        for each in package["vulns"]:
            fixed = ", ".join(each["fix_versions"])
            do = f"fixed in {fixed}" if fixed else "no version is fixed yet"
            yield name, {each["id"], *each["aliases"]}, f"{name}: {each['id']}; {do}"


def judge(
    packages: list[dict[str, Any]], days: dict[str, datetime.date], today: datetime.date
) -> int:
    """Print the known vulnerabilities, and return the exit status."""
    met: set[str] = set()
    failed = False
    for _, ids, line in known(packages):
        listed = ids & days.keys()
        met |= listed
        until = max((days[each] for each in listed), default=None)
        if until is None:
            say("error", line)
        elif until < today:
            say("error", f"{line} (was ignored until {until})")
        else:
            print(f"{line} (ignored until {until})")
            continue
        failed = True
    for each in sorted(days.keys() - met):
        say("warning", f"advisories.toml: {each} concerns no pinned package; remove it")
    print(f"{len(packages)} pinned packages were scanned for known vulnerabilities")
    return FOUND if failed else 0


def last_scan(state: Path, today: datetime.date) -> datetime.date | None:
    """Return the date of the last successful scan; report a damaged record, it counts as none."""
    try:
        day = datetime.date.fromisoformat(json.loads(state.read_text("utf-8"))["last_scan"])
        if day > today:
            raise ValueError(f"{day} is in the future")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        say("warning", f"{state.name} is damaged and counts as no record: {error}")
        return None
    return day


def record_scan(state: Path, today: datetime.date) -> None:
    """Write the date of a successful scan; where that fails, warn."""
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text(json.dumps({"last_scan": today.isoformat()}) + "\n", "utf-8")
    except OSError as error:
        say("warning", f"the date of this scan cannot be kept: {error}")


def say(how: str, line: str) -> None:
    """Print a line on standard error, on GitHub as an annotation of the run."""
    prefix = f"::{how}::" if os.environ.get("GITHUB_ACTIONS") else f"{how}: "
    print(f"{prefix}{line}", file=sys.stderr)


def main(arguments: list[str] | None = None, today: datetime.date | None = None) -> int:
    """Scan, and return the exit status."""
    parser = argparse.ArgumentParser(description="scan pinned packages for known vulnerabilities")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--osv-url", default=os.environ.get("ODDSDESK_OSV_URL", OSV))
    parser.add_argument("--ignored", type=Path, default=PACKAGING / "advisories.toml")
    given = parser.parse_args(arguments)
    today = today or datetime.datetime.now(datetime.UTC).date()
    try:
        days = ignored(given.ignored)
        packages = scan(given.osv_url)
    except ListError as error:
        say("error", str(error))
        return MISTAKEN
    except NotScannedError as error:
        last = last_scan(given.folder / STATE, today)
        overdue = last is None or (today - last).days > MOST_DAYS
        when = f"the last successful scan was on {last}" if last else ""
        when = when or f"{given.folder} has no record of a successful scan"
        rule = f"a night may pass unscanned for {MOST_DAYS} days after a successful scan"
        line = (
            f"pinned packages were NOT scanned for known vulnerabilities: {error}; {when}; {rule}"
        )
        say("error" if overdue else "warning", line)
        return OVERDUE if overdue else 0
    record_scan(given.folder / STATE, today)
    return judge(packages, days, today)


if __name__ == "__main__":
    sys.exit(main())
