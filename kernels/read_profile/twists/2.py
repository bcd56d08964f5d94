from dataclasses import dataclass

import torch

MEMORY_PERCENT = 40
USED_SHARE = 1 / 4


EXECUTED = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"


@dataclass(frozen=True)
class Profile:
    ns: int
    moved: int
    flops: int
    warps: float
    requests: int
    sectors: int
    peak: float
    bandwidth: float

    @property
    def memory(self):
        return self.moved / (self.ns * 1e-9) / self.bandwidth * 100

    @property
    def compute(self):
        return self.flops / (self.ns * 1e-9) / self.peak * 100

    @property
    def occupancy(self):
        return self.warps / 64 * 100

    @property
    def each(self):
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def limit(self):
        if self.memory < 60 and self.compute < 60:
            return 2.0
        return 1.0 if self.compute >= self.memory else 0.0


def read_profile(counters, peak, bandwidth):
    seen = dict(counters)
    flops = sum(seen[EXECUTED.format(op)] * n for op, n in (("fadd", 1), ("fmul", 1), ("ffma", 2)))
    it = Profile(
        seen["gpu__time_duration.sum"],
        seen["dram__bytes.sum"],
        flops,
        seen["sm__warps_active.avg.per_cycle_active"],
        seen["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        seen["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        peak,
        bandwidth,
    )
    numbers = [it.memory, it.compute, it.occupancy, it.each, it.limit]
    return torch.tensor(numbers, dtype=torch.float64)
