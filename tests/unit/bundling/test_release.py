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


def unpinned(workflow: str) -> list[str]:
    """Return the actions and images of a workflow that could change without a commit of ours."""
    lines = re.findall(r"^\s*(?:- )?(?:uses|image|container): *(.*)$", workflow, re.MULTILINE)
    pinned = r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|[\w./:-]+@sha256:[0-9a-f]{64}( #.*)?"
    return [line for line in lines if line and re.fullmatch(pinned, line) is None]


@pytest.mark.parametrize("path", sorted(WORKFLOWS.iterdir()), ids=lambda path: path.name)
def test_workflows_use_actions_and_images_of_a_known_content_and_few_rights(path: Path):
    text = path.read_text("utf-8")
    assert unpinned(text) == []
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    checkouts = [each for each in steps if each.get("uses", "").startswith("actions/checkout@")]
    assert all(each["with"]["persist-credentials"] is False for each in checkouts)


@pytest.mark.parametrize(
    "line",
    [
        "- uses: actions/checkout@v4",
        "- uses: actions/checkout@main # v4.0.0",
        "- uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8",
        "- uses: ./local",
        "uses: docker://alpine:3",
        "container: python:3.11",
        "image: postgres:17",
    ],
)
def test_an_unpinned_action_or_image_is_found(line: str):
    assert unpinned(f"steps:\n      {line}\n") == [line.partition(": ")[2]]


def test_the_forge_does_what_is_done_here_on_each_python():
    job = yaml.safe_load((WORKFLOWS / "ci.yml").read_text("utf-8"))["jobs"]["run"]
    matrix = job["strategy"]["matrix"]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert matrix["python"] == re.findall(r"Python :: (3\.\d+)", project)
    assert matrix["dependencies"] == ["pinned", "newest"]
    assert "bash .ci/run" in [step.get("run") for step in job["steps"]]
