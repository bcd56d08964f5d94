import torch
import torch.distributed as dist

from tutor.judge.cases import training


def run(stage, rank, world):
    # All forwards first, as in GPipe. Take the order
    # of 1F1B, and mind who waits for whom.
    for i in range(stage.microbatches):
        given = None
        if not stage.first:
            given = torch.empty(stage.shape, dtype=torch.float64)
            dist.recv(given, rank - 1)
        out = stage.forward(i, given)
        if not stage.last:
            dist.send(out, rank + 1)
    # And the backwards?


def pipeline(rank, world, codes):
    """Leave it as it is."""
    torch.set_num_threads(1)
    stage = training.Stage(rank, world)
    stage.load(codes)
    run(stage, rank, world)
    return training.report(stage, stage.gradient)
