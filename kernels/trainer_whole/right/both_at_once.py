import torch
import torch.distributed as dist

from tutor.judge.cases import training


class Neighbour:
    """A stage of the same replica: begins a send and a receive together."""

    def __init__(self, rank, shape):
        self.rank, self.shape = rank, shape

    def talk(self, out=None, wanted=True):
        into = torch.empty(self.shape, dtype=torch.float64) if wanted else None
        calls = [] if out is None else [dist.P2POp(dist.isend, out, self.rank)]
        calls += [dist.P2POp(dist.irecv, into, self.rank)] if wanted else []
        for work in dist.batch_isend_irecv(calls) if calls else []:
            work.wait()
        return into


class Nobody:
    def talk(self, out=None, wanted=True):
        return None


class Trainer:
    def __init__(self, stage, rank, replicas, group):
        self.stage, self.rank, self.replicas, self.group = stage, rank, replicas, group
        n, self.me = stage.weights.numel(), rank % replicas
        self.each = n // replicas + (n % replicas > 0)
        self.state = training.Adam(stage, self.each)

    def pass_microbatches(self):
        stage, step = self.stage, self.replicas
        up = Nobody() if stage.first else Neighbour(self.rank - step, stage.shape)
        down = Nobody() if stage.last else Neighbour(self.rank + step, stage.shape)
        m = stage.microbatches
        warm = min(m, stage.stages - stage.stage - 1)
        for i in range(warm):
            down.talk(stage.forward(i, up.talk()), wanted=False)
        given = up.talk() if warm < m else None
        for i in range(warm, m):
            gradient = down.talk(stage.forward(i, given))
            back = stage.backward(i - warm, gradient)
            given = up.talk(back, wanted=i + 1 < m)
        for i in range(m - warm, m):
            up.talk(stage.backward(i, down.talk()), wanted=False)

    def padded(self, flat):
        zeros = torch.zeros(self.each * self.replicas - flat.numel(), dtype=torch.float64)
        return torch.cat((flat, zeros)).chunk(self.replicas)

    def step(self):
        stage = self.stage
        self.pass_microbatches()
        mine = self.padded(stage.weights)[self.me].clone()
        if self.replicas > 1:
            out = torch.zeros(self.each, dtype=torch.float64)
            gradients = [part.contiguous() for part in self.padded(stage.gradient)]
            dist.reduce_scatter(out, gradients, dist.ReduceOp.SUM, self.group)
        else:
            out = stage.gradient.clone()
        stage.gradient.mul_(0)
        self.state.update(mine, out / self.replicas / stage.microbatches)
        parts = [torch.zeros_like(mine) for _ in range(self.replicas)]
        if self.replicas > 1:
            dist.all_gather(parts, mine, self.group)
        else:
            parts = [mine]
        stage.weights[:] = torch.cat(parts)[: stage.weights.numel()]


def train(rank, world, stages, codes):
    """Leave it as it is."""
    torch.set_num_threads(1)
    replicas = world // stages
    stage = training.Stage(rank // replicas, stages)
    # Every rank has to make every group.
    groups = [dist.new_group(range(first, first + replicas)) for first in range(0, world, replicas)]
    group = groups[rank // replicas]
    trainer = Trainer(stage, rank, replicas, group)
    for text in codes:
        stage.load(text)
        trainer.step()
    change = stage.weights - stage.start
    return training.report(stage, change)
