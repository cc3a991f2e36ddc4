"""Whoever keeps tables: reads them, or changes them whole or not at all."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

T = TypeVar("T")
Tables = TypeVar("Tables", covariant=True)


class Transactions(Protocol[Tables]):
    """Runs functions of the tables of one database, from any thread."""

    def read(self, function: Callable[[Tables], T]) -> T:
        """Run a function that reads.

        Raises:
            StoreUnavailableError: the tables cannot be read now.
        """
        ...

    def write(self, function: Callable[[Tables], T]) -> T:
        """Run a function that changes what it reads, and wait until that is for good.

        Raises:
            StoreUnavailableError: the tables cannot be written now; nothing was changed.
        """
        ...

    def submit(self, function: Callable[[Tables], T]) -> Future[T]:
        """Do the same without waiting."""
        ...

    def version(self) -> int:
        """Return a number that differs once another process has changed anything."""
        ...

    def close(self) -> None:
        """Finish what was submitted, and close."""
        ...
