"""Course packs: proved, added by consent, contained, kept apart by name, and removed."""

import json
import os
import re
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course import packs
from tutor.judge.client import CellOutput, Judge
from tutor.judge.connection import sandbox

ROOT = Path(__file__).parents[2]
PUZZLES = ROOT / "tests" / "packs" / "triton-puzzles"
TOML = (PUZZLES / "pack.toml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(paths.PACK, raising=False)
    return tmp_path / "home"


def tutor(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tutor", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )


@pytest.mark.slow
def test_the_puzzles_are_sound() -> None:
    done = tutor("pack", "check", str(PUZZLES), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["solutions"]["passed"] == 12
    assert report["wrong"]["named"] == 12


@pytest.mark.slow
def test_the_commands_of_the_page_work_and_the_record_is_apart(tmp_path: Path, home: Path) -> None:
    """In the page's order; `add` gets the folder, and consent, and the application is not opened."""
    page = (ROOT / "docs" / "packs.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0].splitlines() for part in page.split("```sh\n")[1:]]
    lines = [line for block in blocks for line in block]
    assert len(lines) == 9
    shutil.copytree(PUZZLES, tmp_path / "triton-puzzles")
    refused = tutor("pack", "add", "triton-puzzles", cwd=tmp_path)
    assert (refused.returncode, "--yes consents" in refused.stderr) == (2, True)
    for line in lines:
        words = shlex.split(line)[1:]
        if words == ["--pack", "triton-puzzles"]:
            continue
        words += ["--yes"] if words[1] == "add" else []
        if words[1:3] == ["triton-puzzles", "check"]:
            work = home / "packs" / "triton-puzzles" / "work"
            work.mkdir()
            solution = PUZZLES / "kernels" / "p02_add_in_blocks" / "solution.py"
            shutil.copy(solution, work / "p02_add_in_blocks.py")
        done = tutor(*words, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert (home / "packs" / "triton-puzzles" / "record.sqlite3").exists()
    assert not (home / "record.sqlite3").exists()
    assert not (home / "packs" / "triton-puzzles" / "course").exists()
    gone = tutor("--pack", "triton-puzzles", "list")
    assert (gone.returncode, "there is no pack triton-puzzles" in gone.stderr) == (2, True)


def _archive(folder: Path, files: dict[str, bytes], mode: int = stat.S_IFREG | 0o644) -> Path:
    path = folder / "p.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            made.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return path


def test_a_pack_in_an_archive_is_added(tmp_path: Path) -> None:
    files = {f"top/{f.relative_to(PUZZLES)}": f.read_bytes() for f in PUZZLES.rglob("*.*")}
    with packs.open_pack(str(_archive(tmp_path, files))) as folder:
        packs.add_pack(folder)
    (info,) = packs.list_added_packs()
    assert (info.name, info.licence) == ("triton-puzzles", "MIT")
    course = paths.packs_dir() / "triton-puzzles" / "course"
    assert len(list(course.glob("kernels/*/solution.py"))) == 12


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../pack.toml": b"x"}, "outside itself"),
        ({"/etc/pack.toml": b"x"}, "outside itself"),
        ({"a/../../pack.toml": b"x"}, "outside itself"),
        ({"..\\pack.toml": b"x"}, "outside itself"),
        ({"pack.toml": b"\0" * (65 << 20)}, "more than 64 MiB"),
        ({f"f{n}": b"" for n in range(5001)}, "more than 5000 files"),
        ({"other.toml": b""}, "holds no pack.toml"),
    ],
)
def test_an_archive_that_climbs_out_or_grows_is_refused(
    tmp_path: Path, files: dict[str, bytes], said: str
) -> None:
    with pytest.raises(UsageError, match=said), packs.open_pack(str(_archive(tmp_path, files))):
        pass
    assert not (tmp_path / "pack.toml").exists()


def test_links_and_broken_archives_are_refused(tmp_path: Path) -> None:
    link = _archive(tmp_path, {"pack.toml": b"/etc/passwd"}, stat.S_IFLNK | 0o777)
    with pytest.raises(UsageError, match="a link or a device"), packs.open_pack(str(link)):
        pass
    link.write_bytes(b"PK\3\4 no archive")
    with pytest.raises(UsageError, match="no sound archive"), packs.open_pack(str(link)):
        pass
    folder = tmp_path / "folder"
    shutil.copytree(PUZZLES, folder)
    (folder / "lessons" / "secret.md").symlink_to("/etc/passwd")
    copied = packs.add_pack(folder)
    assert not (copied / "lessons" / "secret.md").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format must be 1"),
        ('"triton-puzzles"', '"../up"', "name takes small letters"),
        ('"MIT"', '"a\\nb"', "licence must be a text on one line"),
        ("needs = []", 'needs = ["rust"]', "needs is a list of cuda and g"),
        ("needs = []", "run = 1", "no field 'run'"),
        ("format = 1", "format = ", "is no TOML"),
    ],
)
def test_a_faulty_pack_toml_says_its_fault(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "pack.toml").write_text(TOML.replace(old, new))
    with pytest.raises(UsageError, match=said):
        packs.read_pack(tmp_path)


def test_an_installed_package_names_its_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    shutil.copytree(PUZZLES, site / "my_pack")
    (site / "my_pack" / "__init__.py").write_text("raise SystemExit('imported')")
    about = site / "my_pack-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-pack\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tutor.packs]\npuzzles = my_pack\n")
    monkeypatch.syspath_prepend(str(site))
    assert packs.find_offered_packs() == {"puzzles": site / "my_pack"}
    with packs.open_pack("puzzles") as folder:
        assert packs.read_pack(folder).version == "1.0"


ATTEMPTS = """
import os, pathlib, socket, signal
def tried(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__
print("network", tried(lambda: socket.create_connection(("127.0.0.1", PORT), 2)))
print("record", tried(lambda: pathlib.Path(RECORD).read_text()))
print("write", tried(lambda: pathlib.Path(OUTSIDE).write_text("x")))
print("secret", os.environ.get("MY_TOKEN"))
print("kill", tried(lambda: os.kill(PID, 0)))
"""


@pytest.mark.slow
def test_a_packs_code_is_kept_from_network_files_secrets_and_processes(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sandbox.is_available():
        pytest.skip("no sandbox here: apt-get install bubblewrap, and user namespaces")
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    course = packs.add_pack(PUZZLES)
    (home / "record.txt").write_text("mine")

    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {
            "PORT": server.getsockname()[1],
            "RECORD": str(home / "record.txt"),
            "PID": os.getpid(),
            "OUTSIDE": str(course / "pack.toml"),
        }
        code = "".join(f"{name} = {value!r}\n" for name, value in given.items()) + ATTEMPTS
        with Judge(course) as judge:
            events = list(judge.run_cell("s", code))
    text = "".join(event.text for event in events if isinstance(event, CellOutput))
    found = dict(line.split(" ", 1) for line in text.splitlines())
    assert re.fullmatch("(ConnectionRefused|OS)Error", found["network"])
    assert found["record"] == "FileNotFoundError"
    assert found["write"] in ("OSError", "PermissionError")
    assert found["secret"] == "None"
    assert found["kill"] == "ProcessLookupError"
    assert (course / "pack.toml").read_text() == TOML
