import torch
import torch.distributed as dist
from torch import Tensor


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


def make_buckets(sizes: list, ready: list, cap: int) -> list:
    """Return lists of layers, in the order in which they are sent."""
    buckets, filled = [[]], 0
    for i in ready:
        if filled >= cap:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += 4 * sizes[i]
    return buckets


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
    """The mean over all ranks of the gradients."""
    width = x.shape[1]
    sizes = [width * count for count in rows]
    layers = [part.view(-1, width).clone().requires_grad_() for part in weights.split(sizes)]
    # Rank 0's order makes the buckets of all ranks, whatever comes first here.
    buckets = make_buckets(sizes, ready, cap)
    bucket_of = {i: k for k, bucket in enumerate(buckets) for i in bucket}
    missing = [len(bucket) for bucket in buckets]
    sent = []  # buffer and handle of each bucket that is on its way

    def note(i):
        def hook(layer):
            missing[bucket_of[i]] -= 1
            # A bucket that is whole waits for those before it: all ranks call in one order.
            while len(sent) < len(buckets) and not missing[len(sent)]:
                bucket = buckets[len(sent)]
                buffer = torch.cat([layers[j].grad.flatten() for j in bucket])
                sent.append((buffer, dist.all_reduce(buffer, async_op=True)))

        return hook

    for i, layer in enumerate(layers):
        layer.register_post_accumulate_grad_hook(note(i))
    loss_of(x, layers, uses[rank], world).backward()
    out = [None] * len(layers)
    for bucket, (buffer, handle) in zip(buckets, sent, strict=True):
        # Only here: until now backward had something to do.
        handle.wait()
        for i, part in zip(bucket, buffer.split([sizes[i] for i in bucket]), strict=True):
            out[i] = part / world
    return torch.cat(out)
