"""What `tutor doctor` says of the X-ray."""

from tutor.doctor.check_row import OK, WARN
from tutor.doctor.probe_process import run_probe
from tutor.doctor.xray import check_tools, check_xray

FOUND = {
    "torch": "2.13.0+cpu",
    "names": 36,
    "present": 36,
    "missing": [],
    "kernels": {"sm_90": 2, "gfx942": 2},
    "ms": 900.0,
}


def test_all_is_there() -> None:
    row = check_xray(FOUND)
    assert row.status == OK
    assert "36 of 36 private names" in row.found
    assert "2 for sm_90, 2 for gfx942" in row.found


def test_missing_names_cost_what_they_are_for() -> None:
    missing = [["torch._a.b", "Triton kernels"], ["torch._a.c", "Triton kernels"], ["d", "guards"]]
    row = check_xray({**FOUND, "present": 33, "missing": missing, "kernels": {}})
    assert row.status == WARN
    assert "33 of 36" in row.found
    assert "Triton kernels (2 missing); guards (1 missing)" in row.found
    assert "torch._a.b" in row.remedy


def test_torch_that_fails_is_told() -> None:
    row = check_xray({"error": "ImportError: no torch"})
    assert row.status == WARN
    assert "no torch" in row.found
    assert row.remedy


def test_the_tools_of_the_wheel_are_found_with_their_versions() -> None:
    found = run_probe("tools")
    row = check_tools(found)
    assert row.status == OK
    for name, (path, _) in found["tools"].items():
        assert f"{name} 1" in row.found  # 12.8.93 with triton 3.7
        assert path in row.found


def test_a_missing_tool_costs_the_machine_code() -> None:
    there = ["/bin/ptxas", "Cuda compilation tools, release 12.8, V12.8.93\n"]
    row = check_tools({"tools": {"ptxas": there, "nvdisasm": ["", ""]}})
    assert row.status == WARN
    assert "not found: nvdisasm, so no SASS can be shown; ptxas 12.8.93 (/bin/ptxas)" in row.found
    assert "TRITON_NVDISASM_PATH" in row.remedy
    neither = check_tools({"tools": {"ptxas": ["", ""], "nvdisasm": ["", ""]}})
    assert "no kernel becomes SASS" in neither.found
    assert check_tools({"error": "ImportError: no triton"}).status == WARN
