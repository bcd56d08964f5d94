"""A runner behind a real Slurm cluster on this machine: its queue. `test_grade_all.py` kills jobs."""

import threading
import time

import pytest
from judging import RIGHT
from slurm_cluster import SlurmCluster

from tutor.base import paths
from tutor.base.runner_table import Runner
from tutor.judge.client import Judge, Progress, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.runners import slurm_queue

pytestmark = pytest.mark.slow


def test_a_job_waits_for_its_turn_and_its_place_is_said(
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
        events = list(judge.submit(Submission("vector_add", RIGHT, "x.py", timing=False)))
        freed.join()
        assert isinstance(events[-1], Verdict)
        assert events[-1].passed
        said = [event.text for event in events if isinstance(event, Progress)]
        assert any("is queued, number 1 of 1 that wait in partition tests" in each for each in said)

    # A cancelled job is listed for a moment more, as "completing", while its node ends it.
    deadline = time.monotonic() + 20
    while (listed := cluster.run("squeue", "--noheader").strip()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert listed == ""
