"""Which oddsdesk this is. A build puts tag and commit here (`packaging/bundling/versions.py`)."""

from typing import Final

VERSION: Final = "1.0.0.dev0"
"""Of the next release, in a checkout; else of the tag, or `.devN`, N commits after the last tag."""
COMMIT: Final = ""
"""What it was built from; empty in a checkout."""
COMMITTED_S: Final = 0
"""The commit's time in seconds since 1970: that of all files of a build."""
