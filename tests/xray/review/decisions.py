"""What torch decides by the device, by the options of a compilation, or by an operation's maker."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention


def gqa(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def interp(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


def set_item_slice(cache, new, start):
    cache[:, start : start + new.shape[1]] = new
    return cache.sum(-1)


def two_outs_inplace(x, out):
    torch.add(x, 1, out=out)
    return out.mul_(2)


def cpu_const(x):
    return x * torch.tensor(2.0)


def host_sync(x):
    if bool((x > 0).any()):
        return x + 1
    return x - 1


_small = nn.Linear(16, 16)


def tiny(x):
    return torch.relu(_small(x))


def outer(a, b):
    return torch.relu(a @ b)


def dot(a, b):
    return torch.relu(a @ b)


def branches(x):
    return x.sin() if x.is_cuda else x.cos()


def conv_bias(x):
    return _biased(x)


_biased = nn.Conv2d(8, 8, 3, padding=1)


def grid(x, at):
    return F.grid_sample(x, at, align_corners=False)


def bf16_autocast_current(a, b):
    with torch.autocast(a.device.type, dtype=torch.bfloat16):
        return a @ b


def flex_plain(q, k, v):
    return flex_attention(q, k, v)


def flex_causal(q, k, v):
    n = q.shape[-2]
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device=q.device)
    return flex_attention(q, k, v, block_mask=mask)


@torch.library.custom_op("review::cubed", mutates_args=())
def cubed(x: torch.Tensor) -> torch.Tensor:
    return x**3


@cubed.register_fake
def _(x):
    return torch.empty_like(x)


def _save(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _slope(ctx, above):
    (x,) = ctx.saved_tensors
    return above * 3 * x**2


cubed.register_autograd(_slope, setup_context=_save)


def custom_op(x):
    return cubed(x.sin()) + 1


class Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, above):
        (x,) = ctx.saved_tensors
        return above * (x.abs() < 1) * 0.5


def autograd_function(x):
    return Clipped.apply(x * 2)


def mark(x):
    torch._dynamo.mark_dynamic(x, 0)
    return torch.softmax(x, -1)


@torch.compile(dynamic=True)
def dyntrue(x):
    return torch.softmax(x, -1) * x.shape[0]


@torch.compile(fullgraph=True)
def full(x):
    y = x + 1
    print("a break")
    return y * 2


@torch.compile(mode="max-autotune")
def maxauto(a, b):
    return torch.relu(a @ b)


_model = nn.Linear(64, 64)
_optimizer = torch.optim.Adam(_model.parameters(), lr=1e-3)
for _parameter in _model.parameters():
    _parameter.grad = torch.zeros_like(_parameter)


def step():
    _optimizer.step()


def train_step(x, wanted):
    loss = F.mse_loss(_model(x), wanted)
    loss.backward()
    return loss
