"""The odds, their log, keys and counts in PostgreSQL; only this package imports psycopg."""
