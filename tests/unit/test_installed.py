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
    found = [SimpleNamespace(name=name, read_text=lambda _file: None) for name in names]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: found)
    assert how_to_install("archive") == said
    assert distribution() in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ('{"dir_info": {"editable": true}, "url": "file:///a"}', "pip install -e '.[xlsx]'"),
        ('{"dir_info": {}, "url": "file:///a"}', "pip install '.[xlsx]'"),
        ('{"archive_info": {}, "url": "file:///a.whl"}', "pip install 'oddsdesk[xlsx]'"),
    ],
)
def test_an_installation_of_a_checkout_is_told_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, told: str, said: str
) -> None:
    """What an index has by that name would take its place."""
    files = {"direct_url.json": told}
    found = [SimpleNamespace(name="oddsdesk", read_text=files.get)]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: found)
    assert how_to_install("xlsx") == said
