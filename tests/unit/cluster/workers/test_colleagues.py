"""What workers tell each other."""

import asyncio
import contextlib
from collections.abc import Iterator

import pytest

from oddsdesk.cluster.workers import colleagues as colleagues_module
from oddsdesk.cluster.workers.colleagues import Colleagues, Condition, Ended, Mailboxes
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.errors import Fault

FULL = Trouble("odds cannot be recorded", Fault.FULL, stops_recording=True)


@pytest.fixture
def mailboxes() -> Iterator[Mailboxes]:
    with contextlib.closing(Mailboxes(3)) as made:
        yield made


async def until(what) -> None:
    async with asyncio.timeout(30):
        while not what():
            await asyncio.sleep(0)


async def test_growth_is_told_to_all_and_to_itself(mailboxes: Mailboxes) -> None:
    workers = [Colleagues(number, mailboxes) for number in mailboxes.workers]
    heard = [asyncio.Event() for _ in workers]
    with contextlib.ExitStack() as listening:
        for worker, event in zip(workers, heard, strict=True):
            listening.enter_context(worker.listening())
            worker.on_growth(event.set)
        workers[1].tell_growth()
        async with asyncio.timeout(30):
            await asyncio.gather(*(event.wait() for event in heard))


async def test_a_worker_that_hears_nothing_holds_up_nobody(mailboxes: Mailboxes) -> None:
    deaf, telling = Colleagues(1, mailboxes), Colleagues(2, mailboxes)
    for _ in range(5_000):
        telling.tell_growth()
    heard = asyncio.Event()
    deaf.on_growth(heard.set)
    with deaf.listening():
        async with asyncio.timeout(30):
            await heard.wait()


async def test_what_is_wrong_with_one_is_known_to_all_until_it_ends(mailboxes: Mailboxes) -> None:
    owner, other = Colleagues(1, mailboxes), Colleagues(2, mailboxes)
    with other.listening():
        owner.tell_condition(Condition(1, is_owner=True, troubles=[FULL], feeds=[]))
        await until(other.owner)
        assert list(other.troubles()) == [FULL]
        mailboxes.send_message(2, Ended(1))
        await until(lambda: other.owner() is None)
    assert [each.line for each in other.troubles()] == ["worker 1 ended and was restarted"]
    assert other.somebody_ended.is_set()


async def test_who_says_nothing_for_a_while_is_not_counted_on(
    mailboxes: Mailboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colleagues_module, "FRESH_S", 0.0)
    owner, other = Colleagues(1, mailboxes), Colleagues(2, mailboxes)
    heard = asyncio.Event()
    other.on_growth(heard.set)
    with other.listening():
        owner.tell_condition(Condition(1, is_owner=True, troubles=[FULL], feeds=[]))
        owner.tell_growth()  # comes after it
        async with asyncio.timeout(30):
            await heard.wait()
    assert other.owner() is None
    assert list(other.troubles()) == []


async def test_one_that_hangs_is_told_until_it_is_heard_again(mailboxes: Mailboxes) -> None:
    """By what this one said meanwhile: nothing passed for who was stopped itself."""
    hanging, telling = Colleagues(1, mailboxes), Colleagues(2, mailboxes)
    well = Condition(2, is_owner=False, troubles=[], feeds=[])
    with telling.listening():
        for _ in range(2):
            hanging.tell_condition(Condition(1, is_owner=True, troubles=[], feeds=[]))
            await until(lambda: not list(telling.troubles()) and telling.conditions())
            for _ in range(colleagues_module.MOST_SILENT):
                telling.tell_condition(well)
            assert list(telling.troubles()) == []
            telling.tell_condition(well)
            (told,) = telling.troubles()
            assert told.line == "worker 1 hangs, and its connections with it"
        mailboxes.send_message(2, Ended(1))
        await until(telling.somebody_ended.is_set)
        assert [each.line for each in telling.troubles()] == ["worker 1 ended and was restarted"]
