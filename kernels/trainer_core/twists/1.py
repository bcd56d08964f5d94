import torch
import torch.distributed as dist

from tutor.judge.cases import training


def run(stage, rank, world):
    count = stage.microbatches
    ahead = min(world - 1 - rank, count)
    come = {"up": [], "down": []}
    # All that will come is asked for before anything is sent, so each `send` finds its receiver.
    for _ in range(count):
        for name, other in (("up", rank - 1), ("down", rank + 1)):
            if 0 <= other < world:
                into = torch.empty(stage.shape, dtype=torch.float64)
                come[name].append((dist.irecv(into, other), into))

    def receive(name, number):
        if not come[name]:
            return None
        work, into = come[name][number]
        work.wait()
        return into

    def forward(i):
        out = stage.forward(i, receive("up", i))
        if not stage.last:
            dist.send(out, rank + 1)

    def backward(i):
        out = stage.backward(i, receive("down", i))
        if not stage.first:
            dist.send(out, rank - 1)

    for i in range(ahead):
        forward(i)
    for i in range(ahead, count):
        forward(i)
        backward(i - ahead)
    for i in range(count - ahead, count):
        backward(i)
    stage.gradient /= count


def pipeline(rank, world, codes):
    """Leave it as it is."""
    torch.set_num_threads(1)
    stage = training.Stage(rank, world)
    stage.load(codes)
    run(stage, rank, world)
    return training.report(stage, stage.gradient)
