"""Calls the learner's `kd_gradient`, and notes what of autograd takes part. Plain values leave."""

from contextlib import contextmanager

import torch
from torch.autograd import forward_ad

WATCHED = ((torch.autograd, "backward"), (torch.autograd, "grad"), (forward_ad, "make_dual"))


@contextmanager
def noted(names):
    """Append to `names` which functions of autograd are called, and let them do their work."""

    def watch(place, name):
        original = getattr(place, name)

        def called(*args, **options):
            names.append(name)
            return original(*args, **options)

        setattr(place, name, called)
        return original

    originals = [watch(*each) for each in WATCHED]
    try:
        yield
    finally:
        for (place, name), original in zip(WATCHED, originals, strict=True):
            setattr(place, name, original)


def probe(module, device):
    g = torch.Generator().manual_seed(52)
    student, teacher = (torch.randn(2, 3, 8, generator=g) for _ in range(2))
    labels = torch.randint(0, 8, (2, 3), generator=g)
    labels[1, 2:] = -100
    kept, names, error = [], [], ""

    def keep(tensor):
        kept.append(tuple(tensor.shape))
        return tensor

    try:
        with noted(names), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            module.kd_gradient(student, teacher, labels, 2.0, 0.5)
    except RuntimeError as raised:  # torch.func's transforms refuse to be watched
        error = str(raised)[:200]
    return {"kept": len(kept), "names": names, "error": error}
