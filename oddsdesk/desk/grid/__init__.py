"""Every price in one table, for analysts."""
