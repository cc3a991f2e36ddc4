"""Options that several commands share."""

from pathlib import Path

import click
from platformdirs import user_data_path


def default_database() -> Path:
    """Return where the odds are kept when nothing else is said."""
    return user_data_path("oddsdesk", appauthor=False) / "oddsdesk.db"


database_option = click.option(
    "--database",
    type=click.Path(path_type=Path),
    default=default_database,
    show_default="the platform's data folder",
    help="SQLite file that holds the odds; it is made if it is missing.",
)
