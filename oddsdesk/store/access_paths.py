"""Where the keys of an odds file lie."""

from pathlib import Path

from oddsdesk.places import earlier_access


def access_path(odds_path: Path, named: Path | None = None) -> Path:
    """Return where access is kept for an odds file: beside it, or in the file that is named."""
    if named is not None:
        return named
    real = odds_path.resolve()
    return real.with_name(f"{real.stem}-access{real.suffix}")


def lies_beside(odds_path: Path, path: Path) -> bool:
    """Say whether a file of keys is the one beside an odds file."""
    return path.parent.resolve() / path.name == access_path(odds_path)


def earlier_access_files(odds_path: Path) -> list[Path]:
    """Return where older versions kept keys of this database: in a home, beside a link to it."""
    beside = odds_path.with_name(f"{odds_path.stem}-access{odds_path.suffix}").absolute()
    places = [earlier_access(odds_path), None if lies_beside(odds_path, beside) else beside]
    return [place for place in places if place is not None and is_there(place)]


def is_there(path: Path) -> bool:
    """Say whether a file is there; False where the folder may not be read."""
    try:
        return path.exists()
    except OSError:
        return False
