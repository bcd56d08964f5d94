"""Functions of ordinary PyTorch: attention, losses, loops, breaks, views, random numbers, indices."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def sdpa_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def naive_attention(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5, -1) @ v


def xent(logits, labels):
    return F.cross_entropy(logits, labels)


def adam_step(p, g, m, v, lr, step):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    steady = (m / (1 - 0.9**step), v / (1 - 0.999**step))
    return p - lr * steady[0] / (steady[1].sqrt() + 1e-8), m, v


def item(x):
    if x.sum().item() > 0:
        return x * 2
    return x - 1


def item_noif(x):
    mean = x.mean().item()
    return x - mean


def prints(x):
    y = x.sin()
    print("half way")
    return y + 1


def inplace(x, y):
    x.add_(y)
    x.mul_(2)
    return x.relu_()


def views(x):
    x.t()[0] += 1
    return x.reshape(-1)[::2] * 2


def returns_alias(x):
    return x.view(-1)


def complexes(a, b):
    z = torch.complex(a, b)
    return (z * z.conj()).real


def quant_dequant(x, w):
    scale = x.abs().amax(-1, keepdim=True) / 127
    q = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
    return (q.float() * scale) @ w.float()


def quant_only(x):
    scale = x.abs().amax(-1, keepdim=True) / 127
    return torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8), scale


def autocast(a, b):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return F.relu(a @ b)


def autocast_cpu(a, b):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.softmax(F.relu(a @ b), -1)


def cums(x):
    return x.cumsum(-1), x.cumprod(-1)


def sorts(x):
    return x.sort(-1)


def argmaxes(x):
    return x.argmax(-1), x.amax(-1)


def index_put(x, at, new):
    x = x.clone()
    x[at] = new
    return x


def scatter(x, at, new):
    return x.scatter_add(0, at, new)


def randomness(x):
    return x + torch.rand_like(x) * torch.randn_like(x)


def conds(x):
    return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (x,))


def while_loop(x):
    from torch._higher_order_ops.while_loop import while_loop

    start = torch.zeros((), dtype=torch.int64)
    return while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * 2), (start, x))[1]


def scan_assoc(x):
    from torch._higher_order_ops.associative_scan import associative_scan

    return associative_scan(torch.add, x, 0, combine_mode="pointwise")


def fft(x):
    return torch.fft.rfft(x).abs()


def nonzero(x):
    return x[x > 0] * 2


def unique(x):
    return torch.unique(x) + 1


def dyn(x):
    return torch.softmax(x, -1) * x.shape[0]


def long_chain(x):
    for step in range(200):
        x = x * 1.5 + step
    return x


def very_long_chain(x):
    for step in range(1500):
        x = torch.sin(x) + step
    return x


def einsum(a, b):
    return torch.einsum("bij,bjk->bik", a, b)


def logsumexp(x):
    return torch.logsumexp(x, -1)


def bmm_bias_gelu(x, w, b):
    return F.gelu(F.linear(x, w, b))


def fp8_mm(a, b):
    return a.to(torch.float16) @ b.to(torch.float16).t()


def dict_out(x):
    return {"twice": x * 2, "more": [x + 1]}


def numpy_call(x):
    return torch.from_numpy(np.sin(x.numpy())) + 1


def kwonly(x, *, scale=1.0):
    return x * scale


def varargs(*tensors):
    return sum(tensors)


def int_div(a, b):
    return a // b + a % b


def bool_ops(a, b):
    return (a > b) & ~(a == 0) | (b < 0)


def int64_index(x):
    return x * 2 + torch.arange(64)


def _inner(x):
    def deeper(y):
        return y.sin()

    return deeper(x) + 1


def nested(x):
    return _inner(_inner(x))


def try_except(x):
    try:
        return x.sin()
    except RuntimeError:
        return x


def recursion(x, depth):
    return x if depth == 0 else recursion(x * 2 + 1, depth - 1)


@torch.compile
def already_compiled(x):
    return torch.tanh(x) * 2


@torch.no_grad()
def nograd(x):
    return x.exp() - 1


def grad_in(x):
    return (x.sin() * x).sum()


def vmaps(a, b):
    return torch.vmap(torch.dot)(a, b)


def func_grad(x):
    return torch.func.grad(lambda y: (y.sin() ** 2).sum())(x)


def checkpointed(x, w):
    return checkpoint(lambda y: torch.tanh(y @ w), x, use_reentrant=False)


def cuda_literal(x):
    return x + torch.ones(8, device="cuda")


def to_device(x):
    return x.to("cuda") * 2


def softmax(x):
    return torch.softmax(x, -1)
