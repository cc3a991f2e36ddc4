"""The windowed program of the bundle."""

from oddsdesk.cli.main import main

main(prog_name="oddsdesk")
