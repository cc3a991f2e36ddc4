"""The odds, their log, keys and counts in PostgreSQL; the only place that imports psycopg."""
