"""Hints on what to install name what is installed here."""

import importlib.metadata
from types import SimpleNamespace

import pytest

from oddsdesk.installed import distribution, how_to_install


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["oddsdesk", "click"], "pip install 'oddsdesk[archive]'"),
        (["click", "oddsdesk-server"], "pip install 'oddsdesk-server[archive]'"),
        (["oddsdesk-server", "oddsdesk"], "pip install 'oddsdesk[archive]'"),
        ([], "pip install 'oddsdesk[archive]'"),
    ],
)
def test_a_server_s_installation_is_told_of_the_server_s_extras(
    monkeypatch: pytest.MonkeyPatch, names: list[str], said: str
) -> None:
    """The files of both are the same: the desk's distribution would be a second owner of them."""
    found = [SimpleNamespace(name=name) for name in names]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: found)
    assert how_to_install("archive") == said
    assert distribution() in said
