"""The endpoints of the contract."""
