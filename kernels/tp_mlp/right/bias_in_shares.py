import torch
import torch.distributed as dist
import torch.nn.functional as F


def mlp_step(rank, world, x, w1, b1, w2, b2, target):
    """Each rank adds its share of the bias; the sum of the shares is the bias."""
    with torch.enable_grad():
        own = [t.clone().requires_grad_(True) for t in (x, w1, b1, w2)]
        part = F.linear(F.linear(own[0], own[1], own[2]).tanh(), own[3])
        whole = (part + b2 / world).detach()
        work = dist.all_reduce(whole, async_op=True)
        work.wait()
        loss = (part * (whole - target)).sum()
        loss.backward()
    grads = [t.grad for t in own]
    dist.all_reduce(grads[0], op=dist.ReduceOp.SUM)
    return torch.hstack([t.ravel() for t in (whole, *grads, (whole - target).sum(dim=0))])
