import torch
import torch.distributed as dist

from tutor.judge.cases import training


def calls_of(stage, one_f_one_b):
    """Yield (is forward, number) in the order that the switch asks for."""
    count = stage.microbatches
    if not one_f_one_b:
        yield from [(True, i) for i in range(count)]
        yield from [(False, i) for i in range(count)]
        return
    keep, done = stage.stages - stage.stage, 0
    for i in range(count):
        yield True, i
        if i - done + 1 == keep:
            yield False, done
            done += 1
    for i in range(done, count):
        yield False, i


class Trainer:
    def __init__(self, stage, rank, replicas, group, one_f_one_b, sharded, once):
        self.__dict__.update(locals())
        del self.__dict__["self"]
        n = len(stage.weights)
        self.parts = replicas if sharded else 1
        self.size = (n + self.parts - 1) // self.parts
        self.me = rank % replicas if sharded else 0
        self.adam = training.Adam(stage, self.size)

    def padded(self, flat):
        whole = torch.zeros(self.parts * self.size, dtype=torch.float64)
        whole[: len(flat)] = flat
        return whole

    def move(self, is_forward, i):
        """Receive, compute and send for one call."""
        stage = self.stage
        come, go = self.rank - self.replicas, self.rank + self.replicas
        if not is_forward:
            come, go = go, come
        begin, end = (stage.first, stage.last) if is_forward else (stage.last, stage.first)
        given = None
        if not begin:
            given = torch.empty(stage.shape, dtype=torch.float64)
            dist.recv(given, come)
        out = (stage.forward if is_forward else stage.backward)(i, given)
        return None if end else dist.isend(out, go)

    def shared_sum(self):
        """The sum over replicas of what the backwards have left, or my share of it."""
        flat = self.stage.gradient.clone()
        self.stage.gradient.zero_()
        if self.replicas == 1:
            return flat
        if not self.sharded:
            dist.all_reduce(flat, group=self.group)
            return flat
        mine = torch.empty(self.size, dtype=torch.float64)
        dist.reduce_scatter(mine, list(self.padded(flat).split(self.size)), group=self.group)
        return mine

    def step(self):
        works, total = [], torch.zeros(self.size, dtype=torch.float64)
        for is_forward, i in calls_of(self.stage, self.one_f_one_b):
            works.append(self.move(is_forward, i))
            if not is_forward and not self.once:
                total += self.shared_sum()
        if self.once:
            total += self.shared_sum()
        for work in filter(None, works):
            work.wait()
        stage = self.stage
        flat = self.padded(stage.weights)
        mine = flat[self.me * self.size :][: self.size].clone()
        self.adam.update(mine, total / (stage.microbatches * self.replicas))
        rows = [mine]
        if self.parts > 1:
            rows = [torch.empty_like(mine) for _ in range(self.parts)]
            dist.all_gather(rows, mine, group=self.group)
        stage.weights.copy_(torch.cat(rows)[: len(stage.weights)])


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
