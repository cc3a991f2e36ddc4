"""Packages that are installed in a folder, by their metadata alone."""

from pathlib import Path


def install_package(folder: Path, name: str, entry_points: str) -> None:
    """Put the metadata of a package into a folder of the import path."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)
