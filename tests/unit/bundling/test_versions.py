"""A version comes from tag and commit, and stays what it was without git (D87)."""

import shutil
import subprocess
from pathlib import Path

import pytest
from bundling.versions import FROZEN, VersionError, build_of, debian_version, frozen_source

ROOT = Path(__file__).parents[3]
COMMITTED_S = 1_700_000_000


class Tree:
    """A repository of its own with the one file that knows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / FROZEN
        self.file.parent.mkdir(parents=True)
        shutil.copyfile(ROOT / FROZEN, self.file)
        self.git("init", "--quiet")
        self.commit()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a commit")

    def git(self, *arguments: str) -> str:
        who = {
            f"GIT_{role}_{what}": "t"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        when = {f"GIT_{role}_DATE": f"{COMMITTED_S} +0000" for role in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(self.folder), **who, **when},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree")


def test_before_the_first_tag_commits_are_counted(tree: Tree):
    build = build_of(tree.folder)
    assert build.commit == tree.git("rev-parse", "HEAD")
    assert build.version == f"1.0.0.dev1+g{build.commit[:12]}"
    assert build.committed_s == COMMITTED_S


def test_a_tagged_commit_is_that_version(tree: Tree):
    tree.git("tag", "v1.2.3")
    assert build_of(tree.folder).version == "1.2.3"


@pytest.mark.parametrize(
    ("tag", "after"), [("v1.2.3", "1.2.4.dev1+g"), ("v2.0.0rc1", "2.0.0.dev1+g")]
)
def test_what_comes_after_a_tag_is_on_the_way_to_the_next(tree: Tree, tag: str, after: str):
    tree.git("tag", tag)
    tree.commit()
    assert build_of(tree.folder).version.startswith(after)


def test_a_changed_tree_never_passes_for_its_tag(tree: Tree):
    tree.git("tag", "v1.2.3")
    tree.file.write_text(tree.file.read_text() + "# changed\n")
    version = build_of(tree.folder).version
    assert version.startswith("1.2.4.dev0+g")
    assert version.endswith(".changed")


def test_a_tag_that_is_no_version_is_said(tree: Tree):
    tree.git("tag", "v1-final")
    with pytest.raises(VersionError, match="v1-final"):
        build_of(tree.folder)


def test_what_is_built_knows_it_without_git(tree: Tree):
    tree.git("tag", "v1.2.3rc1")
    build = build_of(tree.folder)
    tree.file.write_text(frozen_source(tree.folder, build))
    shutil.rmtree(tree.folder / ".git")
    assert build_of(tree.folder) == build
    known: dict[str, object] = {}
    exec(tree.file.read_text(), known)
    assert (known["VERSION"], known["COMMIT"]) == ("1.2.3rc1", build.commit)


def test_a_tree_inside_a_strange_repository_is_not_that_one(tree: Tree):
    inside = tree.folder / "unpacked"
    (inside / FROZEN).parent.mkdir(parents=True)
    shutil.copyfile(ROOT / FROZEN, inside / FROZEN)
    assert build_of(inside) == ("1.0.0.dev0", "", 0)


def test_debian_sorts_what_comes_before_a_release_before_it():
    assert debian_version("1.2.4.dev3+gabc") == "1.2.4~dev3+gabc"
    assert debian_version("2.0.0rc1") == "2.0.0~rc1"
    assert debian_version("2.0.0") == "2.0.0"
