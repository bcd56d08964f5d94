"""Exercises of kind "ranks": a course of a test's own, judged by the real judge."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import judged, wait_until_gone

from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.client import Judge
from tutor.judge.model.verdict import Verdict

SLUG = "ring_allreduce"
HEAD = "import os\nimport signal\nimport sys\nimport torch\nimport torch.distributed as dist\n\n\n"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ranks(home: Path, course: Path) -> Iterator[Judge]:
    with Judge(course) as judge:
        yield judge


def judge_body(ranks: Judge, body: str) -> Verdict:
    """Judge a function of these lines. Line 9 is the first of them."""
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return judged(ranks, f"{HEAD}def ring_allreduce(rank, world, x):\n{text}", SLUG)


def test_a_right_ring_is_right_and_drawn(ranks: Judge, course: Path) -> None:
    exercise = open_course(course).exercise(SLUG)
    verdict = judged(ranks, exercise.solution.read_text("utf-8"), SLUG)
    assert verdict.passed
    assert verdict.figures == {
        "bytes sent by rank 0, 1, … in the case “4 ranks, 1000 numbers”": "6,000, 6,000, 6,000, 6,000"
    }
    assert verdict.chart is not None
    rows = {row for row, *_ in verdict.chart.spans}
    assert rows == {"rank 0", "rank 1", "rank 2", "rank 3"}
    labels = {label.split()[0] for *_, label in verdict.chart.spans}
    assert labels <= {"send", "recv", "computes"}
    assert "recv" in labels


def test_one_rank_alone_runs(ranks: Judge, course: Path) -> None:
    """A rank's own limit of memory stays below that of the process that forks it."""
    path = course / "kernels" / SLUG / "reference.py"
    before = path.read_text("utf-8")
    path.write_text(before.replace("((2, 6), ", "((1, 6), (2, 6), "), "utf-8")
    solution = open_course(course).exercise(SLUG).solution.read_text("utf-8")
    try:
        verdict = judged(ranks, solution, SLUG)
    finally:
        path.write_text(before, "utf-8")
    assert verdict.passed, verdict.diagnosis


# What each wrong answer is told, and the line that is named.
WRONG = {
    "sends_first": (
        "No rank can go on: rank 0 waits in send to rank 1 (line 10); rank 1 waits in send to rank 0 "
        "(line 10) (case “2 ranks, 6 numbers”).",
        10,
    ),
    "one_step_too_few": ("", None),
    "by_the_library": ("rank 0 calls `all_reduce`", None),
    "whole_vectors": ("sends", None),
    "one_rank_leaves": ("and rank 1 has returned", None),
}


def test_each_wrong_answer_is_told_what_happened(ranks: Judge, course: Path) -> None:
    answers = read_wrong_answers(open_course(course).exercise(SLUG).folder)
    assert {answer.name for answer in answers} == WRONG.keys()
    for answer in answers:
        finding = judged(ranks, answer.code, SLUG).diagnosis[0]
        words, line = WRONG[answer.name]
        assert finding.code == answer.expect, (answer.name, finding)
        assert words in finding.message, (answer.name, finding)
        assert line is None or finding.line == line


def test_a_deadlock_is_proven_long_before_a_limit(ranks: Judge) -> None:
    started = time.monotonic()
    verdict = judge_body(ranks, "dist.recv(x, (rank + 1) % world)\nreturn x")
    finding = verdict.diagnosis[0]
    assert (finding.code, finding.line) == ("deadlock", 9)
    assert "rank 0 waits in recv from rank 1 (line 9)" in finding.message
    assert verdict.chart is not None  # who waited for whom
    assert time.monotonic() - started < 6  # of the limit of 10; half a second on a free machine


def test_a_wait_of_three_is_told_as_its_circle_alone(ranks: Judge) -> None:
    finding = judge_body(
        ranks,
        "if world == 4 and rank:\n    dist.recv(x, {1: 2, 2: 3, 3: 1}[rank])\nreturn x * 0",
    ).diagnosis[0]
    told = (
        "rank 1 waits in recv from rank 2 (line 10); rank 2 waits in recv from rank 3 (line 10); "
    )
    assert f"{told}rank 3 waits in recv from rank 1 (line 10) (case" in finding.message


def test_different_collectives_are_told_with_their_number(ranks: Judge) -> None:
    body = "dist.barrier()\nif rank:\n    dist.all_reduce(x)\nelse:\n    dist.barrier()\nreturn x"
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "mismatched-collective"
    assert "as its number 2 rank 0 calls barrier" in finding.message
    assert "and rank 1 calls all_reduce" in finding.message


def test_one_collective_with_other_bytes_is_told(ranks: Judge) -> None:
    """gloo itself may hang, raise or add what does not belong together."""
    body = "dist.barrier()\nout = x[: 1 + rank].clone()\ndist.all_reduce(out)\nreturn x"
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "mismatched-collective"
    assert "as its number 2 rank 0 calls all_reduce with 4 bytes" in finding.message
    assert "and rank 1 calls all_reduce with 8 bytes" in finding.message


def test_a_collective_is_told_with_the_line_that_began_it(ranks: Judge) -> None:
    """Rank 1 waits in the barrier of another line when both are stopped."""
    body = (
        "out = x[: 1 + rank].clone()\n"
        "work = dist.all_reduce(out, async_op=True)\n"
        "dist.barrier()\n"
        "work.wait()\n"
        "return x"
    )
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "mismatched-collective"
    assert "rank 0 calls all_reduce with 4 bytes (line 10), and rank 1" in finding.message
    assert "rank 1 calls all_reduce with 8 bytes (line 10)" in finding.message
    assert finding.line == 10


def test_a_reference_says_which_collectives_are_not_those_asked_for(
    ranks: Judge, course: Path
) -> None:
    """`check_calls` gets the operations and bytes of each rank, in their order."""
    path = course / "kernels" / SLUG / "reference.py"
    before = path.read_text("utf-8")
    rule = (
        "ALLOWED = ('all_reduce', 'barrier')\n\n\ndef check_calls(calls, world, x):\n"
        "    due = [[('all_reduce', 4 * x.shape[1], 2, 0), ('barrier', 0, 2, 0)]] * world\n"
        "    return None if calls == due else f'It calls {[name for name, *_ in calls[0]]}.'\n\n\n"
    )
    path.write_text(
        before.replace('ALLOWED = ("send", "recv")\n', rule).replace("def most_sent", "def _none"),
        "utf-8",
    )
    try:
        right = judge_body(
            ranks, "work = dist.all_reduce(x, async_op=True)\ndist.barrier()\nwork.wait()\nreturn x"
        )
        assert right.passed, right.diagnosis
        finding = judge_body(ranks, "dist.barrier()\ndist.all_reduce(x)\nreturn x").diagnosis[0]
    finally:
        path.write_text(before, "utf-8")
    assert finding.code == "wrong-collectives"
    assert "but it calls ['barrier', 'all_reduce'] (case “2 ranks, 6 numbers”)." in finding.message


def test_a_rank_that_raises_is_named(ranks: Judge) -> None:
    body = "if rank == 1:\n    raise ValueError('no shard')\ndist.all_reduce(x)\nreturn x"
    finding = judge_body(ranks, body).diagnosis[0]
    assert (finding.code, finding.line) == ("crash", 10)
    assert "no shard" in finding.message
    assert "Rank 1 raised it." in finding.message


def test_a_rank_that_is_killed_is_named(ranks: Judge) -> None:
    body = "if rank == 1:\n    os.kill(os.getpid(), signal.SIGSEGV)\ndist.all_reduce(x)\nreturn x"
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "crash"
    assert "Rank 1 was ended by SIGSEGV (case" in finding.message


def test_a_rank_that_never_ends_is_named_with_those_that_wait(ranks: Judge) -> None:
    finding = judge_body(
        ranks, "while rank == 1:\n    pass\ndist.all_reduce(x)\nreturn x"
    ).diagnosis[0]
    assert finding.code == "timeout"
    assert "rank 0 waits in all_reduce (line 11)" in finding.message
    assert "rank 1 computes (line 9)" in finding.message or "(line 10)" in finding.message


def test_outputs_that_differ_in_form_and_no_tensors_are_told(ranks: Judge) -> None:
    finding = judge_body(ranks, "return x[: rank + 1]").diagnosis[0]
    assert "float32[1] on rank 0 and float32[2] on rank 1" in finding.message
    finding = judge_body(ranks, "return x if rank else None").diagnosis[0]
    assert "NoneType on rank 0" in finding.message


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("all_gather_into_tensor(torch.empty(world * x.numel()), x)", "all_gather"),
        ("reduce_scatter_tensor(torch.empty(1), torch.ones(world))", "reduce_scatter"),
        ("all_to_all_single(torch.empty(world), torch.ones(world))", "all_to_all"),
    ],
)
def test_a_collective_of_one_tensor_is_seen(ranks: Judge, call: str, name: str) -> None:
    """Torch has two names for each, and the later one is a method of its own."""
    body = f"""
parts = [torch.empty_like(x) for _ in range(world)]
for rank_from in range(world):
    for rank_to in range(world):
        if rank_from == rank_to:
            parts[rank] = x
        elif rank == rank_from:
            dist.send(x, rank_to)
        elif rank == rank_to:
            dist.recv(parts[rank_from], rank_from)
dist.{call}
return torch.stack(parts).sum(0)"""
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "forbidden-collective"
    assert f"calls `{name}`" in finding.message


def test_every_collective_of_gloo_is_passed_on(ranks: Judge) -> None:
    """The numbers are right, so all of them ran; then the first that is not allowed is named."""
    finding = judge_body(
        ranks,
        """
found = [None] * world
dist.all_gather_object(found, rank)
assert found == list(range(world))
pair = dist.new_group([0, 1])
if rank < 2:
    ones = torch.ones(1)
    dist.all_reduce(ones, group=pair)
    assert ones.item() == 2
dist.barrier()
dist.all_to_all_single(torch.empty(world), torch.ones(world))
rows = [torch.empty_like(x) for _ in range(world)]
dist.all_gather(rows, x)
dist.scatter(torch.empty(2), [torch.ones(2)] * world if rank == 0 else None)
dist.gather(torch.ones(2), [torch.ones(2)] * world if rank == 0 else None)
other = x.clone()
dist.reduce(other, 0)
dist.broadcast(other, 1)
if rank == 0:
    assert dist.recv(torch.empty(1)) == 1
if rank == 1:
    dist.send(torch.ones(1), 0)
return torch.stack(rows).sum(0)
""",
    ).diagnosis[0]
    assert finding.code == "forbidden-collective"


def test_data_parallel_training_runs(ranks: Judge) -> None:
    body = """
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2, bias=False))
model(torch.full((1, 3), float(rank))).sum().backward()
assert torch.allclose(model.module.weight.grad, torch.full((2, 3), (world - 1) / 2))
dist.all_reduce(x)
return x
"""
    finding = judge_body(ranks, body).diagnosis[0]
    assert finding.code == "forbidden-collective", finding


def test_nothing_is_left_of_ranks_that_were_stopped(
    course: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    with Judge(course, cold=True) as judge:
        finding = judge_body(judge, "dist.recv(x, rank)\nreturn x").diagnosis[0]
        assert finding.code in {"deadlock", "crash"}
    assert wait_until_gone(mark) == []
