"""Puts version and commit into wheels and sdists; hatchling runs it."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from bundling.versions import FROZEN, build_of, frozen_source


class FreezeVersion(BuildHookInterface):  # type: ignore[type-arg]
    """Replaces ``oddsdesk/version.py`` in what is built; an editable install keeps its own."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file that knows."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name, FROZEN.name)
        root = Path(self.root)
        file.write_text(frozen_source(root, build_of(root)), "utf-8")
        build_data["force_include"][str(file)] = FROZEN.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the file away."""
        if version != "editable":
            self._folder.cleanup()
