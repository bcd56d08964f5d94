import torch
import torch.distributed as dist
from torch.nn import functional as F

from tutor.judge.cases import training


def pipeline(stage, before, after):
    """Add the gradients of all microbatches: 1F1B."""
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

    ahead = min(stage.stages - 1 - stage.stage, count)
    for i in range(ahead):
        forward(i)
    for i in range(ahead, count):
        forward(i)
        backward(i - ahead)
    for i in range(count - ahead, count):
        backward(i)
    for work, _ in sent:
        work.wait()


class Trainer:
    def __init__(self, stage, rank, replicas, group, one_f_one_b, sharded, once):
        # Three switches. Nothing looks at them yet.
        self.stage, self.replicas, self.group = stage, replicas, group
        self.place = rank % replicas
        self.before, self.after = rank - replicas, rank + replicas
        self.share = -(-len(stage.weights) // replicas)
        self.adam = training.Adam(stage, self.share)

    def step(self):
        stage = self.stage
        pipeline(stage, self.before, self.after)
        stage.gradient /= stage.microbatches * self.replicas
        if self.replicas == 1:
            self.adam.update(stage.weights, stage.gradient)
        else:
            self.exchange()
        stage.gradient.zero_()

    def exchange(self):
        weights, given = self.stage.weights, self.cut(self.stage.gradient)
        gradient = torch.empty_like(given[0])
        dist.reduce_scatter(gradient, given, group=self.group)
        shares = self.cut(weights)
        own = shares[self.place].clone()
        self.adam.update(own, gradient)
        dist.all_gather(shares, own, group=self.group)
        weights.copy_(torch.cat(shares)[: len(weights)])

    def cut(self, flat):
        padded = F.pad(flat, (0, self.share * self.replicas - len(flat)))
        return [each.clone() for each in padded.split(self.share)]


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
