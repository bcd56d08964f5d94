"""A warm worker has imported all that a submission needs: importing costs 20 ms of the first case."""

import json
import subprocess
import sys

import pytest

from tutor.judge.client import environment

LOADS = """
import json, sys
from tutor.judge.processes.worker_messages.questions import Load
from tutor.judge.worker import modes
modes.warm("interpret")
from tutor.judge.worker import main
before = set(sys.modules)
worker = main.SubmissionWorker("interpret")
source = "import torch, triton\\nimport triton.language as tl\\n\\ndef add(x):\\n    return x\\n"
question = Load(source, "mine.py", memory_bytes=2**36, entry="add(x)", kind="kernel")
answer, _ = worker.answer(question, [])
print(json.dumps([type(answer).__name__, sorted(set(sys.modules) - before)]))
"""


@pytest.mark.slow
def test_loading_a_submission_imports_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADS],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer, imported = json.loads(done.stdout.splitlines()[-1])
    assert answer == "ModuleLoaded"
    assert [name for name in imported if name != "submission"] == []
