"""The headless program of the bundle."""

from oddsdesk.cli.server import PROGRAM, main

main(prog_name=PROGRAM)
