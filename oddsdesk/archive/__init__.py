"""Price history in Parquet files: the log of a database, hour by hour, permanently."""
