"""Looks at the learner's autotuner and asks it for a choice at four sizes. Plain values only leave the
process."""

import torch

SIZES = {"": (17, 65, 19), "M": (33, 65, 19), "N": (17, 65, 35), "K": (17, 129, 19)}


def probe(module, device):
    from triton.runtime.autotuner import Autotuner

    tuners = [each for each in vars(module).values() if isinstance(each, Autotuner)]
    if len(tuners) != 1:
        return {
            "trouble": f"The file has {len(tuners)} kernels under `@triton.autotune`; expected 1."
        }
    (tuner,) = tuners
    configs = len({str(config) for config in tuner.configs})
    same, known = [], None
    for name, (m, k, n) in SIZES.items():
        a = torch.ones((m, k), dtype=torch.int8, device=device)
        b = torch.ones((k, n), dtype=torch.int8, device=device)
        module.matmul(a, b)
        if name and len(tuner.cache) == known:
            same.append(name)
        known = len(tuner.cache)
    return {"configs": configs, "same": same if configs > 1 else []}
