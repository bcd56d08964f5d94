"""Counters of ncu are read from its reports and stand beside the access map; without a GPU there is a
sentence.

The reports are those of an H200 (Nsight Compute 2025.3.1, torch 2.11, triton 3.6), cut to the columns
that are read.
"""

import json
import os

import pytest
from judging import RIGHT, tutor

from tutor.base.errors import CannotHere
from tutor.commands.counters import format_counters
from tutor.course.catalog.course import open_course
from tutor.judge.device_tools import device_call, nsight_compute
from tutor.judge.device_tools.nsight_compute import Counters, match_launches, read_counters
from tutor.judge.model.access_map import Launch, Tensor

NOTES = """\
==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.
==PROF== Connected to process 2263 (/usr/bin/python3.12)
==PROF== Disconnected from process 2263
"""  # noqa: E501
HEAD = """\
"ID","Kernel Name","Block Size","Grid Size","launch__grid_size","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","lts__t_sectors_srcunit_tex_op_read.sum","dram__bytes_read.sum","dram__bytes_write.sum"
"","","","","","sector","sector","sector","byte","byte"
"""  # noqa: E501
ADD = '"53","add_kernel","(128, 1, 1)","(40, 1, 1)","40","40,010","20,005","10,004","324,096","0"\n'
SUMS = """\
"43","partial_sums","(128, 1, 1)","(32, 1, 1)","32","32,750","32","32,750","1,051,648","0"
"44","sum_of_partials","(128, 1, 1)","(1, 1, 1)","1","16","1","4","3,072","n/a"
"""


def launch(kernel: str, elements: int, grid: int) -> Launch:
    everything = ((0, elements, 1, elements),)
    loaded = Tensor("x", "float32", (elements,), 4, everything, (), (), (), (), False)
    stored = Tensor("out", "float32", (elements,), 4, (), everything, (), (), (), False)
    return Launch(kernel, (grid, 1, 1), (loaded, stored), (), 4 * elements, 4 * elements)


def test_a_report_has_a_row_for_each_launch() -> None:
    (row,) = read_counters(NOTES + HEAD + ADD)
    assert row == Counters("add_kernel", 40, 40_010 * 32, 20_005 * 32, 10_004 * 32, 324_096, 0)
    rows = list(read_counters(NOTES + HEAD + SUMS))
    assert [(row.kernel, row.programs) for row in rows] == [
        ("partial_sums", 32),
        ("sum_of_partials", 1),
    ]
    assert rows[1].memory_written is None


@pytest.mark.parametrize("report", ["", NOTES, NOTES + HEAD, "==ERROR== no kernels\n", "a,b\n1"])
def test_a_report_without_launches_has_no_row(report: str) -> None:
    assert list(read_counters(report)) == []


def test_a_launch_stands_beside_that_of_the_access_map() -> None:
    rows = list(read_counters(NOTES + HEAD + SUMS + SUMS))
    launches = [
        launch("partial_sums", 100, 32),
        launch("other", 7, 1),
        launch("partial_sums", 50, 2),
    ]
    pairs = match_launches(rows, launches)
    assert [said and said.loaded for _, said in pairs] == [400, None, 200, None]
    assert [said.programs for _, said in pairs if said] == [32, 2]
    assert pairs[0][1] is not None
    assert pairs[0][1].stored_once == 400


def test_the_lines_hold_both_numbers() -> None:
    ((row, said),) = match_launches(
        list(read_counters(NOTES + HEAD + ADD)), [launch("add_kernel", 40_010, 40)]
    )
    lines = list(format_counters(row, said))
    assert lines[0].split() == ["add_kernel", "counted", "access", "map"]
    assert lines[2].split()[-4:] == ["1.3", "MB", "160", "kB"]
    assert max(map(len, lines)) <= 80
    assert [line.split()[-1] for line in format_counters(row, None)][1:] == ["–"] * 6


def test_without_the_leave_to_count_one_sentence_says_so() -> None:
    said = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters"
    run = device_call.ToolRun(said, "", "")
    assert "only an administrator" in nsight_compute._trouble_of(run)
    lost = device_call.ToolRun(NOTES, "", "NameError: name 'x' is not defined")
    assert "NameError" in nsight_compute._trouble_of(lost)
    assert "counted no kernel" in nsight_compute._trouble_of(
        device_call.ToolRun(NOTES, "a case", "")
    )


def test_the_command_says_that_there_is_no_gpu(tmp_path) -> None:
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is one here")
    file = tmp_path / "vector_add.py"
    file.write_text(RIGHT)
    done = tutor("check", "vector_add", str(file), "--counters")
    assert done.returncode == 3
    assert b"tutor access vector_add" in done.stderr
    done = tutor("check", "dead_code", str(file), "--counters")
    assert done.returncode == 2


@pytest.mark.slow
def test_on_a_gpu_the_counters_agree_with_the_access_map(tmp_path) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    try:
        nsight_compute.find_ncu()
    except CannotHere as error:
        pytest.skip(str(error))
    solution = open_course().exercise("two_stage_sum").solution
    done = tutor("check", "two_stage_sum", str(solution), "--counters", "--json")
    if done.returncode == 3:
        pytest.skip(done.stderr.decode()[-300:])
    told = json.loads(done.stdout)
    first = told["kernels"][0]
    assert first["counted"]["programs"] == first["access_map"]["programs"]
    # every element once, in whole sectors: neighbours share them
    assert first["access_map"]["loaded"] <= first["counted"]["load_sectors"]
    assert first["counted"]["load_sectors"] < 1.01 * first["access_map"]["loaded"]
