"""The project as a whole: pins, licence, nothing that names a machine."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import treebounds

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
# The header of a pin; its hashes stand in the lines below it.
PIN = re.compile(r"^(\w\S*==[^\\\n]+)", re.M)
LOCKS = {
    path.name: [Requirement(pin) for pin in PIN.findall(path.read_text("utf-8"))]
    for path in sorted(ROOT.glob("requirements*.lock"))
}
LOCK = list(chain.from_iterable(LOCKS.values()))


def pins(requirements):
    return {canonicalize_name(r.name): str(r.specifier) for r in requirements}


def tracked_files():
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\n") if name]


def test_every_pin_is_exact_and_has_a_hash():
    for name, locked in LOCKS.items():
        blocks = PIN.split((ROOT / name).read_text("utf-8"))[2::2]
        assert all("--hash=sha256:" in block for block in blocks), name
        assert len(pins(locked)) == len(locked) == len(blocks), name
    assert all(re.fullmatch(r"==[\w.]+", str(r.specifier)) for r in LOCK)


def test_no_two_lock_files_have_different_versions_of_a_package():
    assert len({(canonicalize_name(r.name), str(r.specifier)) for r in LOCK}) == len(
        pins(LOCK)
    )


def test_what_installs_the_clone_is_locked_for_the_book():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = {
        canonicalize_name(Requirement(line).name)
        for line in tomllib.loads(text)["build-system"]["requires"]
    }
    assert needed <= pins(LOCKS["requirements.lock"]).keys()


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_what_is_locked_for_the_tests_is_installed(name):
    for requirement in LOCKS[name]:
        if requirement.marker is None or requirement.marker.evaluate():
            installed = version(requirement.name)
            assert requirement.specifier.contains(installed, prereleases=True), (
                requirement
            )


def test_the_environment_of_conda_is_that_of_the_lock_file():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["dependencies"][-1] == {"pip": ["-r requirements.lock"]}


def test_pins_lie_in_the_ranges_of_the_package():
    locked = pins(LOCK)
    # Spark needs an older pandas, so it has an environment of its own
    extras = [
        lines
        for name, lines in PROJECT["optional-dependencies"].items()
        if name != "spark"
    ]
    for requirement in map(Requirement, chain(PROJECT["dependencies"], *extras)):
        pin = locked[canonicalize_name(requirement.name)].removeprefix("==")
        assert requirement.specifier.contains(pin, prereleases=True), requirement


def test_the_wheel_has_the_version_of_the_library():
    assert PROJECT["dynamic"] == ["version"]
    assert version("treebounds") == treebounds.__version__


def test_citation_deposit_and_changelog_name_the_same_release():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \((.*)\)$", changelog, flags=re.MULTILINE)
    number = treebounds.__version__
    day = str(citation["date-released"])

    assert newest.groups() == (number, day)
    assert (citation["version"], deposit["version"]) == (number, number)
    assert citation["preferred-citation"]["version"] == number
    assert deposit["publication_date"] == day
    assert citation["preferred-citation"]["year"] == int(day[:4])


def test_actions_are_pinned_to_commits():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        steps = chain.from_iterable(job["steps"] for job in workflow["jobs"].values())
        actions = [step["uses"] for step in steps if "uses" in step]
        assert all(
            re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) for action in actions
        ), path.name


def test_a_release_is_stored_before_anything_of_others_runs_and_checked_elsewhere():
    path = ROOT / ".github" / "workflows" / "release.yml"
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    build = jobs["build"]["steps"]
    (stored,) = [i for i, step in enumerate(build) if "upload-artifact" in str(step)]
    commands = [step["run"] for step in build[:stored] if "run" in step]
    assert [command.split()[0] for command in commands] == ["pip", "python"]
    assert "--require-hashes --only-binary :all:" in commands[0]

    assert jobs["check"]["needs"] == "build"
    assert set(jobs["publish"]["needs"]) == {"build", "check"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert all(
        "run" not in s or "sha256sum" in s["run"] for s in jobs["publish"]["steps"]
    )
    assert jobs["publish"]["steps"][-1]["with"]["attestations"] is True


def test_tools_have_the_same_versions_wherever_they_are_named():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    named = []
    for hook in hooks[0]["hooks"]:
        named += map(Requirement, hook.get("additional_dependencies", ()))
    text = (ROOT / ".github" / "build-requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}$", line) for line in lines)
    named += [Requirement(line.split(" --hash")[0]) for line in lines]

    locked = pins(LOCK)
    other = {name: pin for name, pin in pins(named).items() if pin != locked.get(name)}
    # Only a release needs these.
    assert set(other) <= {"build", "pyproject-hooks"}


def test_nothing_committed_names_a_machine_or_is_generated():
    forbidden = {".ipynb", ".html", ".csv", ".pdf"}
    templates = {ROOT / "book" / name for name in ("_fragments", "_templates")}
    generated = [path for path in tracked_files() if path.suffix in forbidden]
    assert [path for path in generated if templates.isdisjoint(path.parents)] == []
    # A record of checked theorems, for example, is believed where it lies.
    build = ROOT / "_build"
    assert [path for path in tracked_files() if build in path.parents] == []

    own = str(ROOT) + "/"
    for path in tracked_files():
        if (
            path.suffix in {".png", ".svg", ".js"}
            or not path.is_file()
            or path.parent.name == ".ci"
        ):
            continue
        text = path.read_text(encoding="utf-8")
        assert own not in text, path
        assert not re.search(r"/(?:home|Users)/\w", text), path


def test_a_long_line_of_a_script_is_a_text_that_cannot_be_divided():
    scripts = ROOT / "book" / "_assets"
    for path in (*scripts.glob("*.js"), *scripts.glob("pictures/*.js")):
        lines = path.read_text(encoding="utf-8").splitlines()
        long = [line for line in lines if len(line) > 88]
        assert [line for line in long if not re.search("[\"`']", line)] == [], path


def test_all_public_names_are_importable():
    for name in treebounds.__all__:
        assert getattr(treebounds, name).__doc__, name
    assert list(treebounds.__all__) == sorted(treebounds.__all__)


def test_types():
    """Here and not before the tests: mypy keeps one core busy for as long as a chapter
    does.
    """
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
