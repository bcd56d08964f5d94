import torch
import torch.distributed as dist

from tutor.judge.cases import training


class Runner:
    """Exchanges with both neighbours by pairs of calls that are begun together."""

    def __init__(self, stage, rank, world):
        self.stage, self.rank, self.world = stage, rank, world

    def empty(self):
        return torch.empty(self.stage.shape, dtype=torch.float64)

    def talk(self, peer, out=None, wanted=False):
        if not 0 <= peer < self.world:
            return None
        into = self.empty() if wanted else None
        ops = []
        if out is not None:
            ops.append(dist.P2POp(dist.isend, out, peer))
        if wanted:
            ops.append(dist.P2POp(dist.irecv, into, peer))
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        return into

    def step(self):
        stage, m = self.stage, self.stage.microbatches
        up, down = self.rank - 1, self.rank + 1
        warm = min(self.world - self.rank - 1, m)
        for i in range(warm):
            self.talk(down, stage.forward(i, self.talk(up, wanted=True)))
        given = self.talk(up, wanted=True) if warm < m else None
        for i in range(warm, m):
            gradient = self.talk(down, stage.forward(i, given), wanted=True)
            back = stage.backward(i - warm, gradient)
            given = self.talk(up, back, wanted=i + 1 < m)
        for i in range(m - warm, m):
            self.talk(up, stage.backward(i, self.talk(down, wanted=True)))
        stage.gradient *= 1 / m


def run(stage, rank, world):
    Runner(stage, rank, world).step()


def pipeline(rank, world, codes):
    """Leave it as it is."""
    torch.set_num_threads(1)
    stage = training.Stage(rank, world)
    stage.load(codes)
    run(stage, rank, world)
    return training.report(stage, stage.gradient)
