import torch
import torch.distributed as dist


class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, part):
        whole = part.clone()
        dist.all_reduce(whole)
        return whole

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        whole = gradient.contiguous().clone()
        dist.all_reduce(whole)
        return whole


def mlp_step(rank, world, x, w1, b1, w2, b2, target):
    leaves = [t.detach().clone().requires_grad_() for t in (x, w1, b1, w2, b2)]
    a, u, c, v, d = leaves
    y = G.apply(torch.tanh(F.apply(a) @ u.T + c) @ v.T) + d
    loss = (y - target).square().sum() / 2
    loss.backward()
    return torch.cat([t.flatten() for t in (y.detach(), *(t.grad for t in leaves))])
