"""PySide6's hook on `import`: gone once it is taken back, and Qt works without it."""

import subprocess
import sys

import pytest

PROGRAM = """
import linecache, sys
if {restores}:
    from oddsdesk.desk.shell.display import restore_import
    restore_import()
import oddsdesk.desk.shell.window
ours = {{m.__file__ for name, m in sys.modules.items() if name.split(".")[0] == "oddsdesk"}}
print(not ours.isdisjoint(linecache.cache))
"""


@pytest.mark.parametrize(("restores", "was_read"), [(True, "False"), (False, "True")])
def test_sources_of_modules_are_read_only_while_the_hook_is_there(
    restores: bool, was_read: str
) -> None:
    program = PROGRAM.format(restores=restores)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.strip() == was_read
