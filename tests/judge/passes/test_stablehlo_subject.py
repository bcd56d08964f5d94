"""The subject "stablehlo": what it refuses, and that IREE has a say."""

import subprocess
import sys

import pytest

from tutor.base.extras import say_missing

# In a process of its own: one in which XLA has computed must not fork.
SCRIPT = '''
import os
import torch
from tutor.judge.cases.result_difference import RESULT
from tutor.judge.worker.subjects import stablehlo
from tutor.judge.worker.subjects.opening import open_subject
from tutor.judge.worker.subjects.subject import Run

KIND = "tensor<2x2xf32>"
TEXT = """func.func @main(%x: KIND) -> KIND {
  %v = stablehlo.negate %x : KIND
  %w = stablehlo.negate %v : KIND
  return %w : KIND
}
""".replace("KIND", KIND)
SHORT = TEXT.replace("%w :", "%x :").replace("  %w = stablehlo.negate %v : " + KIND + "\\n", "")
x = torch.tensor([[1.0, -2.0], [0.0, 3.0]])
subject = open_subject("stablehlo")
child = os.fork()  # a template forks when it has only opened the subject
if not child:
    ran = subject.run(TEXT, (x,))
    assert torch.equal(ran.seen[0][0][1], x)
    assert [each.name for each in ran.operations] == ["negate", "negate", "func.return"]
    assert [each.kind for each in ran.operations] == ["call", "call", "end"]
    subject.run(SHORT, (x,))
    assert subject.inspect(SHORT, TEXT) is None
    stablehlo._said.clear()
    subject._last = (x,), Run([[(RESULT, x + 1)]], ())
    fault = subject.inspect(SHORT, TEXT)
    assert fault.code == "wrong-values" and "IREE's results are not XLA's" in fault.sentence
    assert subject.inspect(TEXT, TEXT) is None  # not run again
    fault = subject.check(TEXT.replace("2x2", "2x3"), TEXT)
    assert fault.code == "wrong-graph" and "type of `main`" in fault.sentence
    for text, said in (
        (TEXT.replace("negate %v", "negate %u"), "line 3: use of undeclared SSA value"),
        (TEXT.replace("@main", "@f"), "no function `main`"),
        ("[]", "line 1"),
    ):
        try:
            subject.check(text, TEXT)
            raise SystemExit(1)
        except ValueError as error:
            assert said in str(error), str(error)
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
'''


@pytest.mark.slow
def test_texts_are_run_by_xla_and_by_iree():
    if missing := say_missing(["xla", "iree"]):
        pytest.skip(missing)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
