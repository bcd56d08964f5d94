# expect: forbidden-collective
import torch
import torch.distributed as dist
from torch import Tensor, nn


class SyncMean(torch.autograd.Function):
    """Subtract the mean over the batches of all ranks."""

    @staticmethod
    def forward(ctx, x, world):
        ctx.count = world * x.shape[0]
        total = x.sum(0)
        dist.all_reduce(total)
        return x - total / ctx.count

    @staticmethod
    def backward(ctx, grad):
        total = grad.sum(0)
        dist.all_reduce(total)
        return grad - total / ctx.count, None


def loss_of(x: Tensor, layers: list, use: list, world: int):
    """The loss of this rank's batch. -1 is a SyncMean."""
    for i in use:
        if i == -1:
            x = SyncMean.apply(x, world)
            continue
        x = x + torch.tanh(x @ layers[i].T) @ layers[i]
    return x.square().sum(1).mean()


class Net(nn.Module):
    """The layers as a module, for DistributedDataParallel."""

    def __init__(self, layers, use, world):
        super().__init__()
        self.layers = nn.ParameterList(layers)
        self.use, self.world = use, world

    def forward(self, x):
        return loss_of(x, self.layers, self.use, self.world)


def ddp_buckets(
    rank: int,
    world: int,
    x: Tensor,
    weights: Tensor,
    rows: list,
    uses: list,
    ready: list,
    cap: int,
) -> Tensor:
    width = x.shape[1]
    layers = [part.view(-1, width) for part in weights.split([width * count for count in rows])]
    net = Net(layers, uses[rank], world)
    replica = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=cap / 2**20)
    replica(x).backward()
    return torch.cat([layer.grad.flatten() for layer in net.layers])
