"""A limit on the bytes that kernels move, set by an exercise (`MOST_TRAFFIC`)."""

import pytest
from course_answers import wrong_program
from judging import judged

from tutor.base import paths
from tutor.judge.model.verdict import KernelTraffic
from tutor.judge.server.finding_order import _too_many_accesses

FOLDER = paths.course_root() / "kernels" / "fuse_by_hand"


def answer(path: str) -> str:
    return (FOLDER / path).read_text("utf-8")


def test_a_right_answer_in_three_launches_moves_too_much(judge):
    verdict = judged(judge, answer("starter.py"), "fuse_by_hand", device="cpu")
    assert not verdict.passed
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == "too-much-traffic"
    assert "in 3 launches" in finding.message
    assert "943 kB" in finding.message  # 7 transfers of 347 x 97 and 2 of 97 numbers
    assert "405 kB are enough" in finding.message  # 3 and 2


def test_one_launch_that_goes_through_memory_moves_too_much(judge):
    verdict = judged(
        judge,
        wrong_program("fuse_by_hand", "still_goes_through_memory"),
        "fuse_by_hand",
        device="cpu",
    )
    (finding,) = verdict.diagnosis
    assert finding.code == "too-much-traffic"
    assert "launches" not in finding.message


def test_what_torch_computes_behind_the_kernel_does_not_count_as_the_kernels(judge):
    verdict = judged(
        judge, wrong_program("fuse_by_hand", "the_rest_by_torch"), "fuse_by_hand", device="cpu"
    )
    (finding,) = verdict.diagnosis
    assert finding.code == "did-not-launch"
    assert finding.message.startswith("`torch.add` did a part of the work")


@pytest.mark.slow
def test_a_view_of_what_the_kernel_stored_is_the_kernels(judge):
    source = answer("solution.py").replace(
        "    return out\n", "    return out.view(-1).view(x.shape)\n"
    )
    assert "view(-1)" in source
    assert judged(judge, source, "fuse_by_hand", device="cpu").passed


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ((1, 600, 400, 600, 400), "No element is loaded twice"),
        ((1, 600, 400, 300, 400), "use each number that it loads more often"),
        ((2, 600, 400, 600, 400), "use each number that it loads more often"),
        ((1, 600, 400, 600, 200), "Elements are stored more than once"),
    ],
)
def test_what_moves_too_much_is_said_only_where_it_was_seen(counts, says):
    launches, loaded, stored, loaded_once, stored_once = counts
    traffic = KernelTraffic("c", launches, 4, loaded, stored, loaded_once, stored_once, least=800)
    assert says in _too_many_accesses(traffic, 1.0).message


@pytest.mark.slow
def test_small_blocks_load_the_same_numbers_too_often(judge):
    source = wrong_program("matmul_register_blocks", "sixteen_by_eight")
    verdict = judged(judge, source, "matmul_register_blocks", device="cpu")
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == "too-much-traffic"
    # 32 programs load 24 x (16 + 8) numbers each, and 64 x 64 results are stored: 90.1 kB; three
    # times the matrices are 86.0 kB
    assert "90.1 kB in 32 programs" in finding.message
    assert "at most 57.3 kB" in finding.message
