"""`python -m oddsdesk` is the `oddsdesk` command."""

from oddsdesk.cli.main import main

main(prog_name="oddsdesk")
