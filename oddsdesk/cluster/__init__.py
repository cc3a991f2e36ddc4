"""PostgreSQL, NATS and several processes; other packages do not import it."""
