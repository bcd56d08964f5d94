import torch
import torch.distributed as dist

from tutor.judge.cases import training


def plan_of(behind, count):
    """Yield (is forward, number) in the order of 1F1B."""
    forwards, backwards = iter(range(count)), iter(range(count))
    calls = [(True, next(forwards)) for _ in range(min(behind, count))]
    for i in forwards:
        calls += [(True, i), (False, next(backwards))]
    return calls + [(False, i) for i in backwards]


def run(stage, rank, world):
    handles = []
    for is_forward, number in plan_of(world - rank - 1, stage.microbatches):
        come, go = (rank - 1, rank + 1) if is_forward else (rank + 1, rank - 1)
        tensor = None
        if 0 <= come < world:
            tensor = torch.zeros(*stage.shape, dtype=torch.double)
            dist.irecv(tensor, come).wait()
        tensor = (stage.forward if is_forward else stage.backward)(number, tensor)
        if 0 <= go < world:
            handles.append(dist.isend(tensor, go))
    [handle.wait() for handle in handles]
    stage.gradient.div_(stage.microbatches)


def pipeline(rank, world, codes):
    """Leave it as it is."""
    torch.set_num_threads(1)
    stage = training.Stage(rank, world)
    stage.load(codes)
    run(stage, rank, world)
    return training.report(stage, stage.gradient)
