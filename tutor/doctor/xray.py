"""The X-ray: which of torch's private names are there, and whether a function becomes kernels."""

import re
from collections import Counter

from tutor.doctor.check_row import OK, WARN, CheckRow
from tutor.doctor.packages import PAIRS
from tutor.doctor.probe_process import Found


def check_tools(finding: Found) -> CheckRow:
    """Return the row of NVIDIA's assembler and disassembler, with their versions and where they are."""
    if "error" in finding:
        return CheckRow(
            "ptxas, nvdisasm", WARN, f"not looked for ({finding['error']})", "fix triton above"
        )
    said, lacking = [], []
    for name, (path, output) in finding["tools"].items():
        if not path:
            lacking.append(name)
            continue
        release = re.search(r"\bV(\d+\.\d+\.\d+)", output)
        said.append(f"{name} {release[1] if release else 'of unknown version'} ({path})")
    there = "; ".join(said)
    if lacking:
        lost = "no SASS can be shown" if lacking == ["nvdisasm"] else "no kernel becomes SASS"
        what = f"not found: {', '.join(lacking)}, so {lost}" + (f"; {there}" if there else "")
        remedy = "Triton's wheel for Linux ships them: reinstall triton, or set " + " and ".join(
            f"TRITON_{name.upper()}_PATH" for name in lacking
        )
        return CheckRow("ptxas, nvdisasm", WARN, what, remedy)
    return CheckRow("ptxas, nvdisasm", OK, there)


def check_xray(finding: Found) -> CheckRow:
    """Return the row of missing tools, what they are for, and the kernels of a small training step."""
    if "error" in finding:
        remedy = "see torch and triton above; reading, quizzes and exercises do not need it"
        return CheckRow(
            "X-ray", WARN, f"a function cannot be lowered here ({finding['error']})", remedy
        )
    names = f"{finding['present']} of {finding['names']} private names are there"
    if finding["missing"]:
        lost = Counter(str(needed_for) for _, needed_for in finding["missing"])
        what = "; ".join(f"{name} ({count} missing)" for name, count in lost.items())
        first = finding["missing"][0][0]
        remedy = f"install torch {' or '.join(PAIRS)}; the first missing name is {first}"
        return CheckRow("X-ray", WARN, f"{names}; without the others there is no {what}", remedy)
    made = ", ".join(f"{count} for {target}" for target, count in finding["kernels"].items())
    said = f"{names}; a training step became Triton kernels without a GPU: {made}"
    return CheckRow("X-ray", OK, f"{said} (first in {finding['ms']:.0f} ms)")
