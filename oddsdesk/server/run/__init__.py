"""A server as a process or a thread: its files, its jobs, its start and its end."""
