import torch

# 192e6 bytes / 100e-6 s = 1.92 TB/s, of 4.8. A warp wants 32 * 4 = 128 bytes, which are 4 sectors; each
# request fetched 8,388,608 / 524,288 = 16.
MEMORY_PERCENT = 40.0
USED_SHARE = 0.25

EXECUTED = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
LOADS = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"


def read_profile(counters: list, peak: float, bandwidth: float) -> torch.Tensor:
    """Memory %, compute %, occupancy %, sectors a request, limit; float64."""
    seen = dict(counters)
    seconds = seen["gpu__time_duration.sum"] * 1e-9
    added, multiplied, both = (seen[EXECUTED.format(op)] for op in ("fadd", "fmul", "ffma"))
    flops = added + multiplied + 2 * both  # an FFMA does a product and a sum
    memory = seen["dram__bytes.sum"] / seconds / bandwidth * 100
    compute = flops / seconds / peak * 100
    occupancy = seen["sm__warps_active.avg.per_cycle_active"] / 64 * 100
    requests, sectors = (seen[LOADS.format(what)] for what in ("requests", "sectors"))
    # A kernel that comes near neither roof waits: for single loads, for barriers, for the launch.
    limit = 2 if max(memory, compute) < 60 else int(compute >= memory)
    each = sectors / requests if requests else 0.0
    return torch.tensor([memory, compute, occupancy, each, limit], dtype=torch.float64)
