"""Sums of a release are signed with a named key; a forge does what `.ci/run` does (D87)."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
WORKFLOWS = ROOT / ".github" / "workflows"
WHO = "releases@example.org"


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """A download with its sums, and a key that was made for this test."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "download").write_bytes(b"oddsdesk")
    line = f"{hashlib.sha256(b'oddsdesk').hexdigest()}  download\n"
    (folder / "SHA256SUMS").write_text(line)
    key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(tmp_path / "key")]
    subprocess.run(key, check=True)
    return folder


def sign(dist: Path) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "packaging" / "sign", dist.parent / "key", WHO, dist]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verify(dist: Path) -> int:
    """As docs/packaging.md tells a user."""
    page = (ROOT / "docs" / "packaging.md").read_text("utf-8").replace("\\\n", "")
    told = re.search(r"ssh-keygen -Y verify .*< SHA256SUMS", page)
    assert told is not None
    command = told[0].replace("WHO", WHO)
    return subprocess.run(["bash", "-c", command], cwd=dist, capture_output=True).returncode


def test_signed_sums_can_be_verified_and_others_cannot(dist: Path):
    done = sign(dist)
    assert done.returncode == 0, done.stderr
    assert verify(dist) == 0
    (dist / "SHA256SUMS").write_text(f"{'0' * 64}  download\n")
    assert verify(dist) != 0


def test_a_download_that_is_not_what_the_sums_say_is_not_signed(dist: Path):
    (dist / "download").write_bytes(b"something else")
    assert sign(dist).returncode != 0
    assert not (dist / "SHA256SUMS.sig").exists()


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_actions_are_those_of_a_commit(name: str):
    used = re.findall(r"uses: (\S+)(.*)", (WORKFLOWS / name).read_text("utf-8"))
    assert used
    for action, said in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", said), action


def test_the_forge_does_what_is_done_here_on_each_python():
    job = yaml.safe_load((WORKFLOWS / "ci.yml").read_text("utf-8"))["jobs"]["run"]
    matrix = job["strategy"]["matrix"]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert matrix["python"] == re.findall(r"Python :: (3\.\d+)", project)
    assert matrix["dependencies"] == ["pinned", "newest"]
    assert "bash .ci/run" in [step.get("run") for step in job["steps"]]
