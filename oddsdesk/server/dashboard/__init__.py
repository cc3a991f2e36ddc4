"""The dashboard: pages on which account owners manage their keys, and operators the accounts.

It needs the extra ``dashboard``. Nothing here is part of the contract.
"""

from typing import Final

ROOT: Final = "/dashboard"
LIVE: Final = "/live"
"""Where the pages with odds are."""
OPPORTUNITIES: Final = "/live/opportunities"
GAME: Final = "/live/game/"
UPDATES: Final = "/live/updates"
"""The stream of new figures, which stays open."""
PACKAGES: Final = ("argon2", "cryptography", "jinja2")
"""What the extra installs."""


def invitation_link(address: str, token: str) -> str:
    """Return the link that an invited owner opens; ``address`` is that of the server."""
    return f"{address}{ROOT}/invitation?token={token}"
