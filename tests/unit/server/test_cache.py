"""The cache of the catalogue (D16)."""

from oddsdesk.server.endpoints.lists import TTL_MS, CatalogueCache
from oddsdesk.server.rest import Payload


class Finding:
    def __init__(self, anything: bool = True) -> None:
        self.times = 0
        self.anything = anything

    def __call__(self) -> tuple[Payload, bool]:
        self.times += 1
        return Payload(self.times), self.anything


def test_what_was_found_is_kept_for_its_time() -> None:
    cache, find = CatalogueCache(), Finding()
    assert [cache.kept_answer("a", now, find).data for now in (0, 1, TTL_MS - 1)] == [1, 1, 1]
    assert cache.kept_answer("a", TTL_MS, find).data == 2


def test_questions_are_kept_apart() -> None:
    cache, find = CatalogueCache(), Finding()
    assert [cache.kept_answer(key, 0, find).data for key in ("a", "b", "a")] == [1, 2, 1]


def test_nothing_found_is_not_kept() -> None:
    cache, find = CatalogueCache(), Finding(anything=False)
    assert [cache.kept_answer("a", 0, find).data for _ in range(3)] == [1, 2, 3]


def test_a_clock_that_was_set_back_does_not_keep_answers_forever() -> None:
    cache, find = CatalogueCache(), Finding()
    cache.kept_answer("a", 10 * TTL_MS, find)
    assert cache.kept_answer("a", 0, find).data == 2
