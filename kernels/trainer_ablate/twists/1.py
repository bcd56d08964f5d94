import torch
import torch.distributed as dist

from tutor.judge.cases import training


def pipeline(stage, before, after, one_f_one_b, collect):
    """Pass all microbatches, and call `collect` after each backward."""
    count, sent = stage.microbatches, []

    def receive(other):
        got = torch.empty(stage.shape, dtype=torch.float64)
        dist.recv(got, other)
        return got

    def forward(i):
        out = stage.forward(i, None if stage.first else receive(before))
        if not stage.last:
            sent.append((dist.isend(out, after), out))

    def backward(i):
        out = stage.backward(i, None if stage.last else receive(after))
        if not stage.first:
            sent.append((dist.isend(out, before), out))
        collect()

    # GPipe has all forwards ahead, and then no turns are left.
    behind = stage.stages - 1 - stage.stage
    ahead = min(behind, count) if one_f_one_b else count
    for i in range(ahead):
        forward(i)
    for i in range(ahead, count):
        forward(i)
        backward(i - ahead)
    for i in range(count - ahead, count):
        backward(i)
    for work, _ in sent:
        work.wait()


class Alone:
    """One replica: nobody to share with."""

    def __init__(self, stage, replicas, place, group):
        self.stage, self.group = stage, group
        self.count = self.numbers(len(stage.weights), replicas)
        self.replicas, self.place = replicas, place

    def numbers(self, n, replicas):
        return n

    def gradients(self):
        return self.stage.gradient.clone()

    def new_weights(self, adam, mean):
        adam.update(self.stage.weights, mean)


class Whole(Alone):
    """Each replica adds and changes everything."""

    def gradients(self):
        dist.all_reduce(self.stage.gradient, group=self.group)
        return self.stage.gradient.clone()


class Shares(Alone):
    """Each replica adds and changes its share."""

    def numbers(self, n, replicas):
        return (n + replicas - 1) // replicas

    def rows(self, flat):
        padded = torch.zeros(self.count * self.replicas, dtype=torch.float64)
        padded[: len(flat)] = flat
        return list(padded.view(self.replicas, self.count).unbind())

    def gradients(self):
        out = torch.empty(self.count, dtype=torch.float64)
        dist.reduce_scatter(out, self.rows(self.stage.gradient), group=self.group)
        return out

    def new_weights(self, adam, mean):
        rows = self.rows(self.stage.weights)
        own = rows[self.place].clone()
        adam.update(own, mean)
        got = [torch.empty_like(row) for row in rows]
        dist.all_gather(got, own, group=self.group)
        self.stage.weights[:] = torch.cat(got)[: len(self.stage.weights)]


class Trainer:
    def __init__(self, stage, rank, replicas, group, one_f_one_b, sharded, once):
        kinds = [Alone, Alone] if replicas == 1 else [Whole, Shares]
        self.way = kinds[sharded](stage, replicas, rank % replicas, group)
        self.stage, self.one_f_one_b, self.once = stage, one_f_one_b, once
        self.ends = rank - replicas, rank + replicas
        self.count, self.adam = replicas, training.Adam(stage, self.way.count)

    def collect(self):
        self.sums.append(self.way.gradients())
        self.stage.gradient.zero_()

    def step(self):
        self.sums = []
        pipeline(self.stage, *self.ends, self.one_f_one_b, str if self.once else self.collect)
        if self.once:
            self.collect()
        mean = sum(self.sums) / self.stage.microbatches / self.count
        self.way.new_weights(self.adam, mean)


def train(rank, world, stages, codes, one_f_one_b, sharded, once):
    """Leave it as it is."""
    torch.set_num_threads(1)
    replicas = world // stages
    stage = training.Stage(rank // replicas, stages)
    # Every rank has to make every group.
    groups = [dist.new_group(range(first, first + replicas)) for first in range(0, world, replicas)]
    group = groups[rank // replicas]
    trainer = Trainer(stage, rank, replicas, group, one_f_one_b, sharded, once)
    for text in codes:
        stage.load(text)
        trainer.step()
    change = stage.weights - stage.start
    return training.report(stage, change)
