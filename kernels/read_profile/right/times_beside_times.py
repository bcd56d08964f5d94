import torch

MEMORY_PERCENT = 40
USED_SHARE = 1 / 4


def read_profile(counters, peak, bandwidth):
    seen = {name.removesuffix(".sum"): value for name, value in counters}
    prefix = "smsp__sass_thread_inst_executed_op_f"
    flops = sum(
        value * (2 if "ffma" in name else 1)
        for name, value in seen.items()
        if name.startswith(prefix)
    )
    least = [seen["dram__bytes"] / bandwidth, flops / peak]
    took = seen["gpu__time_duration"] / 1e9
    percent = [time / took * 100 for time in least]
    requests = seen["l1tex__t_requests_pipe_lsu_mem_global_op_ld"]
    sectors = seen["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"]
    limit = 2 if all(each < 60 for each in percent) else int(percent[1] >= percent[0])
    warps = seen["sm__warps_active.avg.per_cycle_active"] / 64 * 100
    each = 0 if requests == 0 else sectors / requests
    return torch.tensor([*percent, warps, each, limit], dtype=torch.float64)
