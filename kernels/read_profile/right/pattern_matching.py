import torch

MEMORY_PERCENT = 40
USED_SHARE = 1 / 4


def read_profile(counters, peak, bandwidth):
    flops = 0
    for counter in counters:
        match counter[0].split("."), counter[1]:
            case ["gpu__time_duration", "sum"], ns:
                seconds = ns / 1e9
            case ["dram__bytes", "sum"], moved:
                pass
            case ["sm__warps_active", "avg", "per_cycle_active"], warps:
                pass
            case ["l1tex__t_requests_pipe_lsu_mem_global_op_ld", _], requests:
                pass
            case ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld", _], sectors:
                pass
            case [name, "sum"], value if "_op_f" in name:
                flops += 2 * value if "ffma" in name else value
    memory, compute = 100 * moved / seconds / bandwidth, 100 * flops / seconds / peak
    limit = (1 if compute >= memory else 0) if memory >= 60 or compute >= 60 else 2
    each = sectors / requests if requests else 0
    return torch.tensor([memory, compute, warps / 64 * 100, each, limit], dtype=torch.float64)
