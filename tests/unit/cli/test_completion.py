"""Completion by the shell, as docs/guide.md tells how to switch it on."""

import re
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from oddsdesk.cli.main import main

GUIDE = (Path(__file__).parents[3] / "docs" / "guide.md").read_text()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_of_the_guide_complete_commands_and_options(shell: str) -> None:
    [variable] = set(re.findall(rf"(_\w+_COMPLETE)=\w+_source|{shell}_source", GUIDE)) - {""}
    kind = get_completion_class(shell)
    assert kind is not None
    complete = kind(main, {}, "oddsdesk", variable)
    assert variable in complete.source()
    assert [each.value for each in complete.get_completions(["keys"], "li")] == ["list"]
    options = [each.value for each in complete.get_completions(["keys", "list"], "--j")]
    assert options == ["--json"]
