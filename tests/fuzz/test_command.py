"""`python -m tests.fuzz`, where it cannot search."""

import platform

import pytest

from tests.fuzz import __main__ as command


@pytest.mark.parametrize(("machine", "status"), [("x86_64", 2), ("arm64", 0)])
def test_without_atheris_it_says_so_and_fails_where_there_is_one(
    machine: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    monkeypatch.setattr(command.sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert command.main(["--runs", "1"]) == status
    assert "pip install -e '.[test,fuzz]'" in capsys.readouterr().out


def test_a_target_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--runs", "1", "cursr"])
    assert "no target cursr; there are cursor, request, " in capsys.readouterr().err
