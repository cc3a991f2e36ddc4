"""Notebooks as data: their cells are run here without Jupyter, and what they print is kept in them.

python -m tests.kit.notebook docs/analysis.ipynb    # runs it and keeps what it prints
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """Return a notebook of nbformat 4."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that are run, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cell(cell: dict[str, Any], names: dict[str, Any], number: int = 0) -> str:
    """Run a cell with these names; return what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    return out.getvalue()


def run(notebook: dict[str, Any]) -> list[str]:
    """Run the cells one after the other in an empty folder; return what each prints."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(code_cells(notebook), 1):
                printed.append(run_cell(cell, names, number))
        finally:
            os.chdir(before)
    return printed


def shown(cell: dict[str, Any]) -> str:
    """Return what a cell says that it prints."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def main(path: Path) -> None:
    """Run a notebook and keep what it prints."""
    notebook = read(path)
    for cell, text in zip(code_cells(notebook), run(notebook), strict=True):
        lines = text.splitlines(keepends=True)
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
        )
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
