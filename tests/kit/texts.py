"""Lists the texts that people read in the window, the commands and messages, file by file.

`python -m tests.kit.texts [FOLDER ...]` prints them, so that all can be read through in one go.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

PACKAGE = Path(__file__).parents[2] / "oddsdesk"
_LOOKS_WRITTEN = re.compile(r"[A-Za-z]{2,}[,.:;?!…]? \S|^[A-Z][a-z]+…?$|^[A-Z][a-z]+ ")
_IS_CODE = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|BEGIN|ATTACH|ON CONFLICT|FROM|"
    r"WHERE|ORDER|AND|VALUES|JOIN|LEFT JOIN|GROUP|LIMIT|COPY|LOCK|SET|GRANT|ANALYZE|VACUUM)\b"
    r"|^Q[A-Z]\w+( \{|$)|[{};]\s*$|^%[YdHm-]|://\S+$"
)


def written_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Return the line and text of what a file says to people; a value stands as ``{…}``."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = {id(node) for node in _not_for_people(tree)}
    found = {}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(each) for part in node.values for each in [part]}
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if _LOOKS_WRITTEN.search(text) and not _IS_CODE.search(text):
            found[node.lineno, node.col_offset] = " ".join(text.split())
    yield from ((line, text) for (line, _), text in sorted(found.items()))


def _not_for_people(tree: ast.Module) -> Iterator[ast.AST]:
    """Return docstrings but those that are a command's help, annotations, texts for developers."""
    helps = {id(node.body[0]) for node in ast.walk(tree) if _is_command(node)}
    for node in ast.walk(tree):
        if id(node) in helps:
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        for annotation in "annotation", "returns":
            if (kept := getattr(node, annotation, None)) is not None:
                yield from ast.walk(kept)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"TypeVar", "cast"}:
            yield from (each for given in node.args[:1] for each in ast.walk(given))
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield from ast.walk(node.msg)


def _is_command(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and any(
        re.search(r"\b(command|group)\b", ast.unparse(each)) for each in node.decorator_list
    )


def main(folders: list[str]) -> None:
    """Print the texts of folders of the package, of all without any."""
    for folder in folders or ["."]:
        start = PACKAGE / folder
        for path in [start] if start.is_file() else sorted(start.rglob("*.py")):
            if texts := [*written_texts(path)]:
                print(f"\n## {path.relative_to(PACKAGE)}")
                for line, text in texts:
                    print(f"{line:5}  {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
