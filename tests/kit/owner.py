"""What the owner of a database shows its server."""

from pathlib import Path

from oddsdesk.store.owner_secret import owner_header


def as_owner(database: Path | str) -> dict[str, str]:
    """Return the header with the secret of a database that was served at least once."""
    header = owner_header(Path(database))
    assert header, f"{database} has no secret"
    return header
