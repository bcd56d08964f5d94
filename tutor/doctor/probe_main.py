"""Run as `python -m tutor.doctor.probe_main DESCRIPTOR PARENT` (`tutor.doctor.probe_process`): tries
what each line of stdin names, and writes one line with a JSON object to that descriptor. It ends with
PARENT.

    numpy         {"version"}
    torch         {"version", "cuda"}: the CUDA version it was built for, or null
    triton        {"version"}
    interpreter   {"ms"}: a kernel with a mask and a loop, in Triton's interpreter, compared. It needs a
                  process of its own: what Triton is imported for cannot be changed afterwards
    offline       {"ms", "ptx"}: the same kernel compiled to sm_90, no GPU needed; bytes of PTX
    xray          {"torch", "names", "present", "missing": [[path, what for]], "kernels": {target: n},
                  "ms"}: private names of torch that the X-ray uses; a small training step lowered
    tools         {"tools": {name: [path, what --version says]}}: of ptxas and nvdisasm; "" where
                  there is none
    gpu           {"gpus": [{"name", "capability", "memory_gib"}]}: each one's context was opened
    ceilings      {"device", "torch", "figures": {kind: [median, low, high]}}: how fast memory and
                  arithmetic are here, as `hardware.measured_peaks` keeps it; takes seconds

What goes wrong is `{"error": one line}`.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

from tutor.judge.processes import process_control

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def scaled_sum(x, out, n, step, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, step):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=(i < n) & (i < start + step), other=0.0)
    tl.store(out, tl.sum(total, 0) * 2.0)
"""


def numpy() -> dict[str, Any]:
    import numpy

    return {"version": numpy.__version__}


def torch() -> dict[str, Any]:
    import torch

    return {"version": torch.__version__, "cuda": torch.version.cuda}


def triton() -> dict[str, Any]:
    import triton

    return {"version": triton.__version__}


def interpreter() -> dict[str, Any]:
    os.environ["TRITON_INTERPRET"] = "1"  # read where @triton.jit decorates, so before the import
    import torch

    from tutor.judge.interpreter.triton_fixes import fix_loop_bounds
    from tutor.judge.processes import learner_module

    fix_loop_bounds()  # as the judge does
    x, out = torch.arange(100, dtype=torch.float32), torch.zeros(1)
    kernel: Any = learner_module.load_module(KERNEL, "probe_kernel.py", "probe_kernel").scaled_sum
    started = time.perf_counter()
    kernel[(1,)](x, out, 100, 16, BLOCK=16)
    took = (time.perf_counter() - started) * 1e3
    if out.item() != 9900.0:
        raise ValueError(f"the interpreter computed {out.item()}, and 9900 is right")
    return {"ms": took}


def offline() -> dict[str, Any]:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from tutor.judge.processes import learner_module

    kernel = learner_module.load_module(KERNEL, "probe_kernel.py", "probe_kernel").scaled_sum
    types = {"x": "*fp32", "out": "*fp32", "n": "i32", "step": "i32", "BLOCK": "constexpr"}
    started = time.perf_counter()
    compiled = triton.compile(
        ASTSource(kernel, types, {"BLOCK": 16}), target=GPUTarget("cuda", 90, 32)
    )
    took = (time.perf_counter() - started) * 1e3
    return {"ms": took, "ptx": len(compiled.asm["ptx"])}


def gpu() -> dict[str, Any]:
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch finds no CUDA device")
    devices = []
    for index in range(torch.cuda.device_count()):
        total = torch.ones(8, device=f"cuda:{index}").sum().item()  # opens the context
        if total != 8.0:
            raise ValueError(f"cuda:{index} added eight ones to {total}")
        facts = torch.cuda.get_device_properties(index)
        devices.append(
            {
                "name": facts.name,
                "capability": f"sm_{facts.major}{facts.minor}",
                "memory_gib": facts.total_memory / 2**30,
            }
        )
    return {"gpus": devices}


def xray() -> dict[str, Any]:
    import torch

    from tutor.xray.fake_gpu import fake_gpu
    from tutor.xray.torch_compile import capture

    missing = fake_gpu.find_missing_names()
    report: dict[str, Any] = {
        "torch": torch.__version__,
        "names": len(fake_gpu.NAMES),
        "present": len(fake_gpu.NAMES) - len(missing),
        "missing": missing,
        "kernels": {},
        "ms": 0.0,
    }
    if not missing:
        started = time.perf_counter()
        for name in ("sm_90", "gfx942"):
            report["kernels"][name] = capture.lower_training_step(name)
            report["ms"] = report["ms"] or (time.perf_counter() - started) * 1e3
    return report


def tools() -> dict[str, Any]:
    from tutor.base.errors import CannotHere
    from tutor.xray.triton_kernels import compiler

    tools = {}
    for name in ("ptxas", "nvdisasm"):
        try:
            path = compiler.tool(name)
        except CannotHere:
            tools[name] = ["", ""]
            continue
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
        tools[name] = [path, done.stdout[-500:]]
    return {"tools": tools}


def ceilings() -> dict[str, Any]:
    from tutor.doctor import peak_measurement

    return peak_measurement.measure_ceilings()


PROBES = {
    "numpy": numpy,
    "torch": torch,
    "triton": triton,
    "interpreter": interpreter,
    "offline": offline,
    "xray": xray,
    "tools": tools,
    "gpu": gpu,
    "ceilings": ceilings,
}


def main() -> None:
    process_control.die_with_parent(int(sys.argv[2]))
    with open(int(sys.argv[1]), "w", encoding="utf-8") as results:
        for line in sys.stdin:
            print(json.dumps(_try(line.strip())), file=results, flush=True)


def _try(name: str) -> dict[str, Any]:
    try:
        return PROBES[name]()
    except Exception as error:
        said = str(error).strip().splitlines() or [""]
        return {"error": f"{type(error).__name__}: {said[0][:300]}"}


if __name__ == "__main__":
    main()
