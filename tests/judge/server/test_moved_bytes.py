"""Bytes that kernels ask for, counted by the watch, against the least possible."""

import json

import pytest
from judging import RIGHT, judged

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.cases import reference
from tutor.judge.model.verdict import KernelTraffic, to_json, verdict_from_json
from tutor.judge.reports.usage_text import traffic_line
from tutor.judge.reports.verdict_text import format_verdict

ROW_SUM = (paths.course_root() / "kernels" / "row_sum" / "solution.py").read_text()
ATOMIC = """\
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, columns, row_stride, column_stride, B: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * B + tl.arange(0, B)
    at = x_ptr + row * row_stride + column * column_stride
    v = tl.load(at, mask=column < columns, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(v, 0))


def row_sum(x):
    out = torch.zeros(x.shape[0])
    k[(x.shape[0], triton.cdiv(x.shape[1], 1024))](x, out, x.shape[1], *x.stride(), B=1024)
    return out
"""


def test_an_addition_moves_three_numbers_an_element_and_no_masked_lane(judge):
    verdict = judged(judge, RIGHT, device="cpu")
    n = 40_009  # the largest case's; the last program has more lanes than elements are left
    assert verdict.traffic == KernelTraffic(
        case="many blocks and a tail",
        launches=1,
        programs=40,
        loaded=8 * n,
        stored=4 * n,
        loaded_once=8 * n,
        stored_once=4 * n,
        least=12 * n,
        flops=n,
    )
    assert verdict_from_json(json.loads(json.dumps(to_json(verdict)))).traffic == verdict.traffic
    assert any(traffic_line(verdict.traffic) in line for line in format_verdict(verdict))


@pytest.mark.slow
def test_loads_repeated_by_other_programs_show(judge):
    source = (paths.course_root() / "kernels" / "tiled_matmul" / "solution.py").read_text()
    traffic = judged(judge, source, "tiled_matmul", device="cpu").traffic
    assert traffic is not None
    m, k, n = 67, 131, 71  # primes: the case with the most bytes; two tiles of 64 each way
    assert traffic.loaded_once == 4 * (m * k + k * n)
    assert traffic.loaded == 2 * traffic.loaded_once
    assert "It loads each element 2.00× on average" in traffic_line(traffic)


@pytest.mark.slow
def test_an_atomic_operation_counts_as_a_store(judge):
    verdict = judged(judge, ATOMIC, "row_sum", device="cpu")
    assert verdict.passed, verdict.diagnosis
    assert verdict.traffic is not None
    assert verdict.traffic.programs == 2 * 40
    assert verdict.traffic.stored == 4 * 2 * 40
    assert verdict.traffic.stored_once == 4 * 2


def test_what_launches_nothing_moves_nothing(judge):
    assert judged(judge, "def add(x, y):\n    return x + y\n").traffic is None


def test_the_least_is_known_for_every_case_of_every_kernel():
    kernels = [e for e in open_course().exercises().values() if e.kind == "kernel"]
    assert kernels
    for exercise in kernels:
        found = reference.load_reference(exercise.reference)
        for number, case in enumerate(found.cases):
            assert found.work(*reference.make_inputs(case, 1 + number)).bytes > 0, (
                exercise.slug,
                case,
            )
