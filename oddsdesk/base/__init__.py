"""Basics for all rooms: clock, tasks, files, texts, the keyring."""
