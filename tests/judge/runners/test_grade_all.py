"""`tutor grade-all`: a folder of submissions through local slots and a real Slurm; resumed, killed."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from judging import RIGHT, entry
from slurm_cluster import SlurmCluster

pytestmark = pytest.mark.slow

WRONG = RIGHT.replace("x + y, mask", "x - y, mask")
SLOW = entry("import time; time.sleep(0.1)\nreturn launched(x, y)")


def grade(
    folder: Path, environment: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tutor", "grade-all", str(folder), "--json", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def submitted(folder: Path, texts: list[str]) -> Path:
    for number, text in enumerate(texts):
        (folder / f"learner{number}").mkdir(parents=True)
        (folder / f"learner{number}" / "vector_add.py").write_text(text)
    return folder


def jobs(cluster: SlurmCluster) -> set[str]:
    """Return the ids of all jobs, of those too that ended in the last minutes."""
    return set(cluster.run("squeue", "--noheader", "--states=all", "--format=%i").split())


def test_a_class_is_grouped(home: Path, tmp_path: Path) -> None:
    texts = [RIGHT, WRONG, RIGHT.replace("offsets", "where"), WRONG.replace("offsets", "where")]
    folder = submitted(tmp_path / "class", texts)
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    told = json.loads(grade(folder, environment).stdout)
    assert "groups" not in told
    told = json.loads(grade(folder, environment, "--groups").stdout)
    (groups,) = told["groups"].values()
    assert groups["answers"] == 4
    assert groups["approaches"] == [["learner0", "learner1", "learner2", "learner3"]]
    assert groups["equal"] == [["learner0", "learner2"], ["learner1", "learner3"]]
    assert [slip["learners"] for slip in groups["slips"]] == [["learner1", "learner3"]]
    # the wrong ones were judged once more, for the change that mends them; the right ones were not
    assert sorted(str(row["learner"])[-1] for row in rows(folder)) == ["0", "1", "1", "2", "3", "3"]
    assert json.loads(grade(folder, environment, "--groups").stdout) == told
    assert len(rows(folder)) == 6


def test_every_file_has_one_verdict_and_only_new_ones_are_judged(
    home: Path, tmp_path: Path
) -> None:
    folder = submitted(tmp_path / "class", [RIGHT, WRONG, "\0\xff", RIGHT])
    (folder / "learner0" / "notes.py").write_text("")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "results.jsonl").write_text('{"learner": "cut o')
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    done = grade(folder, environment, "--slots", "2")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "exercises": {"vector_add": {"files": 4, "right": 2, "wrong": 2}},
        "left_out": 1,
    }
    (folder / "learner1" / "vector_add.py").write_text(RIGHT)
    assert json.loads(grade(folder, environment).stdout)["exercises"]["vector_add"]["right"] == 3
    judged = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()[1:]]
    assert sorted(str(row["learner"])[-1] for row in judged) == ["0", "1", "1", "2", "3"]
    assert grade(tmp_path / "home", environment).returncode == 2


def test_a_class_through_slurm_survives_killed_jobs(
    cluster: SlurmCluster, home: Path, tmp_path: Path
) -> None:
    folder = submitted(tmp_path / "class", [RIGHT, SLOW, WRONG] * 2)
    settings = tmp_path / "home"
    settings.mkdir()
    (settings / "config.toml").write_text(
        '[runners.cluster]\nlaunch = "srun --unbuffered --ntasks=1"\n'
        f'tutor = "{sys.executable} -m tutor"\n'
    )
    environment = {**cluster.environment, "TUTOR_HOME": str(settings)}
    command = [
        sys.executable,
        "-m",
        "tutor",
        "grade-all",
        str(folder),
        "--json",
        "--runner",
        "cluster",
        "--slots",
        "2",
    ]
    before = jobs(cluster)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    killed = 0
    while process.poll() is None:
        count = len(rows(folder)) if (folder / "results.jsonl").exists() else 0
        if count >= 2 and not killed:
            cluster.run("scancel", *cluster.run("squeue", "--noheader", "--format=%i").split()[:1])
            killed += 1
        time.sleep(0.1)
    assert killed == 1
    assert process.stdout is not None
    table = json.loads(process.stdout.read())["exercises"]["vector_add"]
    assert table == {"files": 6, "right": 4, "wrong": 2}, rows(folder)
    assert process.returncode == 0
    assert len({row["learner"] for row in rows(folder)}) == len(rows(folder)) == 6
    assert len(jobs(cluster) - before) <= 3  # one for each slot, and one for the killed one


def test_the_tasks_of_a_job_array_share_a_class(
    cluster: SlurmCluster, home: Path, tmp_path: Path
) -> None:
    """The script of docs/runners.md, with two tasks; then the table of both shares."""
    folder = submitted(tmp_path / "submissions", [RIGHT, WRONG] * 3)
    page = (Path(__file__).parents[3] / "docs" / "runners.md").read_text(encoding="utf-8")
    script = page[page.index("#!/bin/sh") :].partition("```")[0]
    assert "--array=1-4" in script
    script = script.replace("--array=1-4", "--array=1-2").replace(
        "tutor ", f"{sys.executable} -m tutor "
    )
    (tmp_path / "grade.sh").write_text(script)
    environment = {**cluster.environment, "TUTOR_HOME": str(home)}
    done = subprocess.run(
        ["sbatch", "--wait", "--output=task-%a.log", "grade.sh"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    logs = "\n".join(each.read_text() for each in tmp_path.glob("task-*.log"))
    assert done.returncode == 0, done.stderr + logs
    for number in (1, 2):
        assert len((folder / f"results-{number}-of-2.jsonl").read_text().splitlines()) == 3
    table = json.loads(grade(folder, environment).stdout)["exercises"]["vector_add"]
    assert table == {"files": 6, "right": 3, "wrong": 3}
    assert not (folder / "results.jsonl").exists()


@pytest.mark.parametrize("share", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2"])
def test_a_share_that_does_not_exist_is_refused(home: Path, tmp_path: Path, share: str) -> None:
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    done = grade(submitted(tmp_path, [RIGHT]), environment, f"--share={share}")
    assert done.returncode == 2
    assert "2/4 is the second of four" in done.stderr
