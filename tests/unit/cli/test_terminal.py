"""Progress shows on stderr only where work is long; foreign text cannot command a terminal."""

import io

from oddsdesk.cli.terminal import Progress, plain


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_short_work_says_nothing() -> None:
    stream, seconds = Terminal(), Seconds()
    with Progress("quotes read", stream, seconds) as progress:
        seconds.now = 0.9
        progress.count_done(5)
    assert stream.getvalue() == ""


def test_a_terminal_shows_one_line_that_is_rewritten_and_taken_away() -> None:
    stream, seconds = Terminal(), Seconds()
    with Progress("quotes read", stream, seconds) as progress:
        for seconds.now in (1.0, 1.1, 1.2):
            progress.count_done(1_000)
    assert stream.getvalue() == "\r1,000 quotes read\033[K\r3,000 quotes read\033[K\r\033[K"


def test_a_file_gets_a_line_after_a_second_and_then_rarely() -> None:
    stream, seconds = io.StringIO(), Seconds()
    with Progress("quotes read", stream, seconds) as progress:
        for seconds.now in (0.5, 1.0, 5.0, 11.0):
            progress.count_done(1_000)
        seconds.now = 60
        progress.count_done(0)
    assert stream.getvalue() == "2,000 quotes read\n4,000 quotes read\n"


def test_text_from_outside_loses_control_characters_and_keeps_its_spaces() -> None:
    assert plain("a\x1b[2Jb\u2028c\td") == "a?[2Jb?c?d"
    assert plain("5,8\u00a0% von 1\u202f000") == "5,8\u00a0% von 1\u202f000"
