"""What the owner of a database shows its server."""

from pathlib import Path

from oddsdesk.store.owner_secret import SECRET_HEADER, OwnerSecret


def as_owner(database: Path | str) -> dict[str, str]:
    """Return the header with the secret of a database that was served at least once."""
    secret = OwnerSecret(Path(database)).read()
    assert secret is not None, f"{database} has no secret"
    return {SECRET_HEADER: secret}
