"""A runner behind a real Slurm cluster on this machine: a queue, and a job that is killed."""

import threading

import pytest
from judging import RIGHT, entry, judged
from slurm_cluster import SlurmCluster

from tutor.base import paths
from tutor.base.runner_table import Runner
from tutor.judge.client import Judge, Progress, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.runners import slurm_queue

pytestmark = pytest.mark.slow


def _submitted(judge: Judge, source: str, at_first=lambda: None) -> tuple[list[str], object]:
    said, last = [], None
    for event in judge.submit(Submission("vector_add", source, "x.py", timing=False)):
        if isinstance(event, Progress):
            said.append(event.text)
        elif last is None:
            at_first()
        last = event
    return said, last


def test_a_job_waits_for_its_turn_and_a_killed_one_is_submitted_again(
    srun: Runner, cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm_queue, "_ASK_SECONDS", 0.5)
    fillers = [
        cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap", "sleep 600").strip()
        for _ in range(2)
    ]
    with Judge(paths.course_root(), runner=srun) as judge:
        freed = threading.Timer(3.0, cluster.run, ["scancel", *fillers])
        freed.start()
        said, verdict = _submitted(judge, RIGHT)
        freed.join()
        assert isinstance(verdict, Verdict)
        assert verdict.passed
        assert any("is queued, number 1 of 1 that wait in partition tests" in each for each in said)

        slow = entry("import time; time.sleep(0.4)\nreturn launched(x, y)")
        job = cluster.run("squeue", "--noheader", "--states=R", "--format=%i").strip()
        said, verdict = _submitted(judge, slow, lambda: cluster.run("scancel", job))
        assert isinstance(verdict, Verdict)
        assert verdict.passed
        assert any("runner cluster was lost" in each for each in said)
        assert judged(judge, RIGHT).passed
    assert cluster.run("squeue", "--noheader").strip() == ""
