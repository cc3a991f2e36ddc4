"""The interface of The Odds API (v4), answered from the own database.

``keys`` turns names of the database into theirs, with the tables of the importer; ``asking`` reads
a request, ``answers`` writes what they would answer, ``gate`` has the paths.
"""

from typing import Final

NAME: Final = "the-odds-api"
ROOT: Final = "/v4"
