import torch
import torch.distributed as dist

from tutor.judge.cases import training


def pipeline(stage, before, after):
    # GPipe. Take the order of 1F1B.
    def receive(other):
        got = torch.empty(stage.shape, dtype=torch.float64)
        dist.recv(got, other)
        return got

    for i in range(stage.microbatches):
        given = None if stage.first else receive(before)
        out = stage.forward(i, given)
        if not stage.last:
            dist.send(out, after)
    for i in range(stage.microbatches):
        given = None if stage.last else receive(after)
        out = stage.backward(i, given)
        if not stage.first:
            dist.send(out, before)


class Trainer:
    def __init__(self, stage, rank, replicas, group):
        self.stage, self.group = stage, group
        self.before, self.after = rank - replicas, rank + replicas
        # All of the state. Hold that of a share.
        self.adam = training.Adam(stage, len(stage.weights))

    def step(self):
        stage = self.stage
        pipeline(stage, self.before, self.after)
        stage.gradient /= stage.microbatches
        # Add the other replicas' gradients, change
        # your share of the weights, get the others.
        self.adam.update(stage.weights, stage.gradient)
        stage.gradient.zero_()


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
