"""Builds everything there is to download: `packaging/build` runs it."""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bundling.archive import pack, size_of, write_sums
from bundling.debian import architecture, build_package
from bundling.icu import trim_library
from bundling.licences import write_licences
from oddsdesk import __version__

ROOT: Final = Path(__file__).parents[2]
MB: Final = 10**6
MOST_UNPACKED_MB: Final = 130
MOST_PACKED_MB: Final = 50


def main() -> None:
    """Build the bundle, and from it the archive and the Debian package."""
    options = _options()
    work, target = ROOT / "build", options.target.resolve()
    target.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with _step("bundle"):
        bundle = _make_bundle(work)
    with _step("licences"):
        write_licences(bundle, ROOT)
        _add_read_me(bundle)
    name = f"oddsdesk-{__version__}-{sys.platform}-{platform.machine()}"
    archive = target / f"{name}.tar.gz"
    with _step("archive"):
        pack(bundle, archive, name, int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    made = [archive]
    if shutil.which("dpkg-deb"):
        with _step("Debian package"):
            package = target / f"oddsdesk_{__version__}_{architecture()}.deb"
            build_package(bundle, ROOT, work / "deb", package, __version__)
            made.append(package)
    write_sums(made, target)
    print(f"built in {time.monotonic() - began:.0f} s: {', '.join(file.name for file in made)}")
    _judge_sizes(bundle, made)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="packaging/build", description=__doc__)
    parser.add_argument(
        "--target", type=Path, default=ROOT / "dist", help="where the files go (default: dist)"
    )
    return parser.parse_args()


def _make_bundle(work: Path) -> Path:
    folder = work / "bundle"
    subprocess.run(
        [
            *(sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
            *("--distpath", str(folder), "--workpath", str(work / "pyinstaller")),
            str(ROOT / "packaging" / "oddsdesk.spec"),
        ],
        check=True,
    )
    bundle = folder / "oddsdesk"
    _strip(bundle / "lib")
    for library in (bundle / "lib" / "PySide6" / "Qt" / "lib").glob("libicudata.so.*"):
        trim_library(library, work / "icu")
    return bundle


def _strip(lib: Path) -> None:
    """Drop debugging symbols, where there is binutils; Qt's libraries stay as they were built."""
    if shutil.which("strip") is None:
        return
    files = [
        str(file)
        for file in lib.rglob("*.so*")
        if file.is_file() and not file.is_symlink() and not {"PySide6", "shiboken6"} & {*file.parts}
    ]
    subprocess.run(["strip", "--strip-unneeded", *files], check=True)


def _add_read_me(bundle: Path) -> None:
    shutil.copyfile(ROOT / "packaging" / "READ-ME.txt", bundle / "READ-ME.txt")


def _judge_sizes(bundle: Path, made: list[Path]) -> None:
    unpacked = size_of(bundle) / MB
    print(f"unpacked: {unpacked:.1f} MB (at most {MOST_UNPACKED_MB})")
    too_big = unpacked > MOST_UNPACKED_MB
    for file in made:
        size = file.stat().st_size / MB
        print(f"{file.name}: {size:.1f} MB (at most {MOST_PACKED_MB})")
        too_big = too_big or size > MOST_PACKED_MB
    if too_big:
        sys.exit("too big: see bundling/qt_parts.py for what is left out")


@contextmanager
def _step(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
