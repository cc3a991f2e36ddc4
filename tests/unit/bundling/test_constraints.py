"""The constraints pin whatever an install of ours brings, on every Python alike."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
BUILD_NEEDS = {"hatchling": ("editables", "packaging", "pathspec", "pluggy", "tomlkit")}
"""The build runs in an environment of its own, where this one cannot look."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    lines = (ROOT / "packaging" / "constraints.txt").read_text().split()
    pairs = [line.split("==") for line in lines]
    return {folded(name): version for name, version in pairs}


def asked_for() -> list[str]:
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    return [*project["dependencies"], *(each for extra in extras for each in extra)]


def brought() -> set[str]:
    """Return what our extras bring here, with all that these bring, by name."""
    found: set[str] = set()
    left = [Requirement(text) for text in asked_for()]
    while left:
        wanted = left.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        name = folded(wanted.name)
        if name not in found:
            found.add(name)
            left += map(Requirement, requirements_of(name))
    return found


def requirements_of(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # the bundle's; its own environment is built under the same file
        return []


def test_whatever_the_tests_install_is_pinned():
    assert brought() - pinned().keys() == {"pip"}, "pip itself is each environment's own"


def test_whatever_builds_the_package_is_pinned():
    builders = {folded(Requirement(text).name) for text in PROJECT["build-system"]["requires"]}
    assert builders == BUILD_NEEDS.keys()
    needs = {name for builder in builders for name in BUILD_NEEDS[builder]}
    assert (builders | needs) - pinned().keys() == set()


def test_pins_are_within_what_is_asked_for():
    pins = pinned()
    for text in asked_for():
        wanted = Requirement(text)
        if wanted.marker is None or wanted.marker.evaluate():
            assert pins[folded(wanted.name)] in wanted.specifier, text


def test_a_package_is_pinned_once():
    lines = (ROOT / "packaging" / "constraints.txt").read_text().split()
    assert len(lines) == len(pinned())


def hashed() -> dict[str, tuple[str, list[str]]]:
    """What builds: versions and sums by name."""
    text = (ROOT / "packaging" / "hashes.txt").read_text().replace("\\\n", "")
    found = {}
    for line in text.splitlines():
        requirement, *sums = re.split(r"\s+--hash=sha256:", line.strip())
        pin = Requirement(requirement)
        found[folded(pin.name)] = str(pin.specifier).removeprefix("=="), sums
    return found


def test_what_builds_is_pinned_by_its_sums_too_in_the_same_versions():
    held = hashed()
    for name, (version, sums) in held.items():
        assert sums, name
        assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in sums), name
        assert name == "pip" or pinned()[name] == version
    project = PROJECT["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["bundle"]]
    assert {folded(Requirement(need).name) for need in needs} <= held.keys()
