import torch

MEMORY_PERCENT = 40
USED_SHARE = 1 / 4


def read_profile(counters, peak, bandwidth):
    wanted = [pair for pair in sorted(counters) if pair[0][:3] in ("dra", "gpu", "l1t", "sms")]
    values = [value for name, value in wanted if not name.endswith(("_st.sum", "_read.sum"))]
    moved, ns, requests, sectors, _, _, fadd, ffma, fmul = values
    (warps,) = [value for name, value in counters if name.endswith("per_cycle_active")]
    out = torch.zeros(5, dtype=torch.float64)
    out[0] = 100e9 * moved / ns / bandwidth
    out[1] = 100e9 * (fadd + fmul + ffma + ffma) / ns / peak
    out[2] = warps * 100 / 64
    out[3] = sectors / max(requests, 1)
    out[4] = 2 if (out[:2] < 60).all() else out[:2].tolist()[1] >= out[:2].tolist()[0]
    return out
