"""Where the desk keeps its files: the one place to ask."""

from pathlib import Path

from platformdirs import user_config_path, user_data_path


def config_folder() -> Path:
    """Return the folder of settings, layouts and connections; it need not exist."""
    return user_config_path("oddsdesk", appauthor=False)


def data_folder() -> Path:
    """Return the folder of the database where nothing else is said; it need not exist."""
    return user_data_path("oddsdesk", appauthor=False)
