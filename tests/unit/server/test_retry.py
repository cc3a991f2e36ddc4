from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.store.errors import StoreUnavailableError


async def test_a_refusal_is_told_once_until_the_database_answers_again(caplog):
    outcomes = iter(["disk full", "disk full", "", "locked", "locked"])

    async def step() -> None:
        if outcome := next(outcomes):
            raise StoreUnavailableError(outcome)

    patience = RetryWhileUnavailable("the stream")
    for _ in range(5):
        await patience.do(step, 0)
    assert [record.getMessage() for record in caplog.records] == [
        "the stream waits for the database: disk full",
        "the stream waits for the database: locked",
    ]
