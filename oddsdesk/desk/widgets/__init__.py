"""Widgets that know their arguments and Qt, nothing else."""
