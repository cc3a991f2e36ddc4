"""What `oddsdesk desk -v` says holds neither key nor token (D23)."""

import re

from tests.kit.program import Launch


def test_a_talkative_desk_says_neither_key_nor_token(launch: Launch):
    program = launch("desk", "--local", "--verbose", QT_QPA_PLATFORM="offscreen")
    assert program.process.stderr is not None
    said = []
    for line in program.process.stderr:
        said.append(line)
        if "first prices painted" in line:
            break
    status, _, rest = program.finish()
    assert (status, "first prices painted" in said[-1]) == (0, True), "".join(said)
    assert re.findall(r"oddsdesk_live_\w*|token=", "".join(said) + rest) == []
