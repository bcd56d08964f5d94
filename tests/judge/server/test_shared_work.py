"""Limits on how programs share their work (`MOST_FETCHED`, `LEAST_PROGRAMS`), and the trials of an
autotuner without a GPU."""

import numpy as np
import pytest
from course_answers import wrong_program
from judging import judged

from tutor.base import paths
from tutor.judge.interpreter.memory_checks import TensorRange, WaveFetches


def answer(path: str) -> str:
    return (paths.course_root() / "kernels" / path).read_text("utf-8")


def test_a_wave_fetches_what_its_programs_share_once():
    waves, tensor = WaveFetches(2), TensorRange("a", 0, 40, 4)
    for program in (3, 0, 1, 130):  # waves 1, 0, 0 and 65: the order of programs does not matter
        waves.note(tensor, np.arange(program % 2, 4), program)
    assert waves.count("a") == 3 + 4 + 4
    assert waves.count("b") == 0


def test_tiles_row_by_row_fetch_more_than_they_may(judge):
    verdict = judged(
        judge, wrong_program("grouped_order", "row_by_row"), "grouped_order", device="cpu"
    )
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == "too-much-traffic"
    # 8 waves need 2 rows and 8 columns of tiles each: 32 rows and 512 columns of 64 numbers
    fetched = 8 * (2 * 16 + 8 * 64) * 64 * 2
    assert f"fetches {fetched // 1000} kB" in finding.message


def test_a_second_case_tells_groups_that_serve_one_shape_only(judge):
    source = wrong_program("grouped_order", "grouped_for_one_shape")
    (finding,) = judged(judge, source, "grouped_order", device="cpu").diagnosis
    assert finding.code == "too-much-traffic"
    # Row by row, 16 tiles reach into three rows of 7, and into two at the start; K is 32.
    tiles = [divmod(p, 7) for p in range(17 * 7)]
    waves = [tiles[start : start + 16] for start in range(0, len(tiles), 16)]
    fetched = sum(16 * len({r for r, _ in w}) + 64 * len({c for _, c in w}) for w in waves) * 32 * 2
    assert f"“17 by 7 tiles” fetches {fetched / 1000:.0f} kB" in finding.message


def test_waves_as_high_as_wide_share_rows_and_columns(judge):
    verdict = judged(judge, answer("grouped_order/solution.py"), "grouped_order", device="cpu")
    assert verdict.passed
    assert verdict.traffic.fetched == 8 * (8 * 16 + 2 * 64) * 64 * 2


def test_one_program_is_not_enough(judge):
    verdict = judged(judge, wrong_program("split_k", "one_program"), "split_k", device="cpu")
    (finding,) = verdict.diagnosis
    assert finding.code == "too-few-programs"
    assert "by 1 program. Share the work among at least 32" in finding.message


def test_programs_of_launches_one_after_another_are_not_added_up(judge):
    source = wrong_program("matmul_naive", "a_launch_for_each_element")
    (finding,) = judged(judge, source, "matmul_naive", device="cpu").diagnosis
    assert finding.code == "too-few-programs"
    assert "by 1 program at a time, in 10 launches" in finding.message


@pytest.mark.slow
def test_the_trials_of_an_autotuner_add_to_the_output(judge):
    source = wrong_program("autotuned", "trials_add_to_the_result")
    finding = judged(judge, source, "autotuned", device="cpu").diagnosis[0]
    assert "is 2 times what belongs there: the autotuner tried" in finding.message


@pytest.mark.slow
def test_trials_do_not_count_as_traffic(judge):
    verdict = judged(judge, answer("autotuned/solution.py"), "autotuned", device="cpu")
    assert verdict.passed
    assert verdict.traffic.launches == 1


def test_adding_to_new_memory_is_named(judge):
    source = wrong_program("split_k", "result_begins_with_anything")
    finding = judged(judge, source, "split_k", device="cpu").diagnosis[0]
    assert finding.code == "output-not-written"
    assert "begin with `torch.zeros`" in finding.message
