"""The settings of docs/editors.md read what `tutor check --format gcc` really prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from course_answers import wrong_program
from run_home import share_judge

ROOT = Path(__file__).resolve().parents[2]
WRONG = wrong_program("vector_add", "no_mask")
PAGE = (ROOT / "docs" / "editors.md").read_text("utf-8")


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `vector_add.py`, which is wrong, and what the command printed of it."""
    folder = tmp_path_factory.mktemp("a folder")
    (folder / "vector_add.py").write_text(WRONG, "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tutor",
            "check",
            "vector_add",
            str(folder / "vector_add.py"),
            "--format",
            "gcc",
            "--no-timing",
        ],
        env={**os.environ, "TUTOR_HOME": str(share_judge(folder / "home"))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    (folder / "printed").write_text(done.stdout, "utf-8")
    return folder


def line_of_the_load() -> int:
    rows = WRONG.split("\n")
    return next(i for i, row in enumerate(rows, 1) if "tl.load" in row)


@pytest.mark.slow
def test_each_cause_has_file_line_and_column_and_the_verdict_is_last(checked: Path) -> None:
    *causes, verdict = (checked / "printed").read_text("utf-8").splitlines()
    file = checked / "vector_add.py"
    place = f"{file}:{line_of_the_load()}:5: error: "
    assert causes[0].startswith(f"{place}A change within lines ")  # three accesses lack their mask
    assert causes[1].startswith(f"{place}Line ")
    assert causes[1].endswith(" [missing-mask]")
    assert verdict.startswith("✗ Lanes outside a tensor take part. ")


def test_vs_codes_pattern_reads_them(checked: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (task,) = json.loads(block)["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    found = [
        match
        for row in (checked / "printed").read_text("utf-8").splitlines()
        if (match := re.match(pattern["regexp"], row))
    ]
    first = found[0]
    assert first[pattern["file"]] == str(checked / "vector_add.py")
    assert (first[pattern["line"]], first[pattern["column"]]) == (str(line_of_the_load()), "5")
    assert first[pattern["severity"]] == "error"
    assert first[pattern["message"]].startswith("A change within lines ")
    assert len(found) == len((checked / "printed").read_text("utf-8").splitlines()) - 1
    assert "--format" in task["args"]


@pytest.mark.skipif(not shutil.which("vim"), reason="Vim is not installed")
def test_vims_quickfix_jumps_there(checked: Path) -> None:
    (block,) = re.findall(r"```vim\n(.*?)```", PAGE, re.DOTALL)
    script = checked / "script.vim"
    show = "call writefile([line('.') . ':' . col('.') . ' ' . expand('%:p')], 'at')"
    kinds = "call writefile(map(getqflist(), 'v:val.type . v:val.valid'), 'kinds')"
    script.write_text(f"{block}\ncgetfile printed\ncfirst\n{show}\n{kinds}\nqall!\n")
    subprocess.run(
        ["vim", "-es", "-u", "NONE", "-N", "-S", str(script)],
        cwd=checked,
        timeout=30,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    place = f"{line_of_the_load()}:5 {checked / 'vector_add.py'}"
    assert (checked / "at").read_text("utf-8").strip() == place
    assert set((checked / "kinds").read_text("utf-8").split()) == {"e1"}
