import torch
import torch.distributed as dist
from torch.nn import functional as F

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


class Trainer:
    def __init__(self, stage, rank, replicas, group, one_f_one_b, sharded, once):
        self.stage, self.replicas, self.group = stage, replicas, group
        self.one_f_one_b, self.sharded, self.once = one_f_one_b, sharded, once
        self.place = rank % replicas
        self.before, self.after = rank - replicas, rank + replicas
        # Without shares a replica is responsible for all weights.
        self.share = -(-len(stage.weights) // (replicas if sharded else 1))
        self.adam = training.Adam(stage, self.share)

    def step(self):
        stage = self.stage
        self.total = torch.zeros(self.share, dtype=torch.float64)
        left = stage.microbatches

        def collect():
            nonlocal left
            left -= 1
            if left == 0 or not self.once:
                self.collect()

        pipeline(stage, self.before, self.after, self.one_f_one_b, collect)
        self.update(self.total.div_(stage.microbatches).div_(self.replicas))

    def collect(self):
        """Add the gradients of all replicas to the sum, and clear them."""
        gradient = self.stage.gradient
        if self.replicas == 1:
            self.total += gradient
        elif self.sharded:
            parts = self.cut(gradient)
            own = torch.empty_like(parts[0])
            dist.reduce_scatter(own, parts, group=self.group)
            self.total += own
        else:
            dist.all_reduce(gradient, group=self.group)
            self.total += gradient
        gradient.zero_()

    def update(self, mean):
        weights = self.stage.weights
        if self.replicas == 1 or not self.sharded:
            self.adam.update(weights, mean)
            return
        shares = self.cut(weights)
        own = shares[self.place].clone()
        self.adam.update(own, mean)
        dist.all_gather(shares, own, group=self.group)
        weights.copy_(torch.cat(shares)[: len(weights)])

    def cut(self, flat):
        """Cut a vector into equal shares, with zeros behind its last number."""
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
