"""Options that several commands share."""

from pathlib import Path

import click

from oddsdesk.places import default_database

database_option = click.option(
    "--database",
    type=click.Path(path_type=Path),
    default=default_database,
    show_default="the platform's data folder",
    help="SQLite file that holds the odds; it is made if it is missing.",
)
