"""Price history in Parquet files: what the log of a database says hour by hour, for good."""
