"""What answers each path of the contract."""
