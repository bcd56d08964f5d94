"""Resources that the compiled kernels of a process need on the device (registers, spills, shared
memory), and the number of warps that a multiprocessor then holds."""

from collections.abc import Iterable
from typing import Any

from tutor.hardware import occupancy
from tutor.judge.processes.worker_messages.records import KernelResources
from tutor.xray.triton_kernels import ptxas_log


def find_largest(filename: str) -> KernelResources | None:
    """Return the largest resources of the kernels that `filename` defined and this process launched.

    Returns None if Triton's caches do not show them (private: `JITFunction.device_caches`, read in 3.6
    and 3.7).
    """
    import gc

    from triton.runtime.jit import JITFunction

    largest: Any = None
    # `type`, not `isinstance`: the latter asks weak proxies, which may be dead, for their class
    for function in [o for o in gc.get_objects() if type(o) is JITFunction]:
        if function.fn.__code__.co_filename != filename:
            continue
        for cache in getattr(function, "device_caches", {}).values():
            for kernel in cache[0].values():
                registers = getattr(kernel, "n_regs", None)
                if registers is not None and (largest is None or registers > largest.n_regs):
                    largest = kernel
    return None if largest is None else _of(largest)


def add_occupancy(needs: dict[str, Any]) -> dict[str, Any]:
    """Add the occupancy that the resources allow, if the target's limits are known."""
    known = all(name in needs for name in ("registers", "shared_bytes", "warps"))
    residency = (
        occupancy.of(
            needs["target"], needs["registers"], needs["shared_bytes"], max(1, needs["warps"])
        )
        if known
        else None
    )
    if residency is None:
        return needs
    return needs | {
        "occupancy": {
            "warps_per_sm": residency.warps,
            "most_warps": residency.most,
            "fraction": residency.fraction,
            "limited_by": residency.limited_by,
        }
    }


def choose_most_demanding(kernels: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the resources of the kernel that leaves room for the fewest others."""
    return min(
        kernels,
        key=lambda kernel: (
            kernel.get("occupancy", {}).get("fraction", 1.0),
            -kernel.get("registers", 0),
        ),
    )


def _of(kernel: Any) -> KernelResources:
    target = kernel.metadata.target
    usage = ptxas_log.read_usage(kernel.metadata._asdict(), kernel.asm.get("ptx"))
    return KernelResources(
        target=f"sm_{target.arch}" if target.backend == "cuda" else str(target.arch),
        kernel=kernel.metadata.name,
        registers=int(kernel.n_regs),
        # Without ptxas's figures the words of the whole frame, as the driver gives them.
        spills=int(usage.get("spills", kernel.n_spills)),
        shared_bytes=int(kernel.metadata.shared),
        warps=int(kernel.metadata.num_warps),
    )
