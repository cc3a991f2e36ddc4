"""Pure mathematics of odds: selections, devig, value rules, odds formats. No I/O, no clock."""
