"""The SQLite file: migrations, the one writer, read-only queries, accounts and keys."""
