"""Several processes that serve one database on one port."""
