"""Fuzzing: whatever comes from outside, changed by what the code does with it.

    python -m tests.fuzz [--minutes 10] [TARGET ...]

A target is a function of ``targets`` that takes bytes and raises where a promise is broken.
``corpus`` has the examples that a search begins with, and each input that once broke something.
"""
