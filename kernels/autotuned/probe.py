"""Looks at the learner's autotuner and asks it for a choice at four sizes. Plain values only leave the
process."""

import torch

SIZES = {"": (17, 65, 19), "M": (18, 65, 19), "N": (17, 65, 20), "K": (17, 66, 19)}


def probe(module, device):
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import KernelInterface

    tuners = [each for each in vars(module).values() if isinstance(each, Autotuner)]
    if len(tuners) != 1:
        return {
            "trouble": f"The file has {len(tuners)} kernels under `@triton.autotune`; expected 1."
        }
    (tuner,) = tuners
    configs = len({str(config) for config in tuner.configs})
    # PART says how the sum is shared out, and not what a tile is.
    sides = [{k: v for k, v in config.kwargs.items() if k != "PART"} for config in tuner.configs]
    tiles = len({str(sorted(each.items())) for each in sides})
    same, known = [], None
    for name, (m, k, n) in SIZES.items():
        a = torch.ones((m, k), dtype=torch.int8, device=device)
        b = torch.ones((k, n), dtype=torch.int8, device=device)
        module.matmul(a, b)
        if name and len(tuner.cache) == known:
            same.append(name)
        known = len(tuner.cache)
    left = _left(module, tuner, device)
    tuner.run = lambda *args, **kwargs: None
    alone = module.matmul(a, b)
    del tuner.run
    others = [v for v in vars(module).values() if isinstance(v, KernelInterface) and v is not tuner]
    beside = bool(others) and bool((alone == k).all())
    same = same if configs > 1 else []
    return {"configs": configs, "tiles": tiles, "left": left, "beside": beside, "same": same}


def _left(module, tuner, device):
    """How many configurations are tried at a size that none of them is too large for; None if the
    autotuner was not asked."""
    known, left = tuner.prune_configs, []

    def noted(*args, **kwargs):
        kept = known(*args, **kwargs)
        left.append(len(kept))
        return kept

    tuner.prune_configs = noted
    a = torch.ones((128, 130), dtype=torch.int8, device=device)
    module.matmul(a, torch.ones((130, 128), dtype=torch.int8, device=device))
    del tuner.prune_configs
    return min(left, default=None)
