"""The downloads, where there is neither Python nor the checkout."""

import subprocess
import tarfile
from pathlib import Path
from typing import Any

START_LIMIT_S = 30


def unpack(archive: Path, target: Path) -> Path:
    """Unpack a download and return its one folder."""
    with tarfile.open(archive) as packed:
        safe: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        packed.extractall(target, **safe)
    (folder,) = target.iterdir()
    return folder


class Bundle:
    """The unpacked download, and a machine that has nothing else."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        nowhere = home / "bin"
        nowhere.mkdir(parents=True)
        self.environment = {"HOME": str(home), "PATH": str(nowhere), "LANG": "C.UTF-8"}

    def start(self, program: str, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.folder / program), *arguments],
            env=self.environment | extra,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str, *arguments: str) -> str:
        process = self.start(program, *arguments)
        out, err = process.communicate(timeout=START_LIMIT_S)
        assert process.returncode == 0, f"{out}{err}"
        return out.strip()
