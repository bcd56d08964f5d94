"""Modules of torch.nn and blocks of well-known models, each called as a function."""

import torch
import torch.nn.functional as F
from torch import nn

_layer = nn.TransformerEncoderLayer(256, 4, 512, batch_first=True)
_layer_in_use = nn.TransformerEncoderLayer(256, 4, 512, batch_first=True).eval()
_heads = nn.MultiheadAttention(256, 4, batch_first=True)
_lstm_cell = nn.LSTMCell(128, 128)
_lstm = nn.LSTM(64, 64, batch_first=True)
_groups = nn.GroupNorm(8, 64)
_table = nn.Embedding(1000, 64)
_bags = nn.EmbeddingBag(1000, 64, mode="sum")
_dropout = nn.Dropout(0.1)
_convolutions = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
_convolutions_in_use = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()
).eval()
_perceptron = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256)).bfloat16()
_rms = nn.RMSNorm(512)
_upwards = nn.Sequential(nn.ConvTranspose2d(16, 8, 2, stride=2), nn.ReLU())
_pooled = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2))


def tel_train(x):
    return _layer(x)


def tel_eval(x):
    return _layer_in_use(x)


def mha(q, k, v):
    return _heads(q, k, v)[0]


def lstmcell(x):
    return _lstm_cell(x)[0]


def lstm(x):
    return _lstm(x)[0]


def gn(x):
    return F.silu(_groups(x))


def emb(tokens):
    return _table(tokens) * 8.0


def embbag(tokens):
    return _bags(tokens)


def drop(x):
    return _dropout(F.gelu(x))


def convbn(x):
    return _convolutions(x)


def convbn_eval(x):
    return _convolutions_in_use(x)


def mlp(x):
    return _perceptron(x)


def rms(x):
    return _rms(x)


def convt(x):
    return _upwards(x)


def maxpool(x):
    return _pooled(x)


class Residual(nn.Module):
    """The basic block of ResNet-18."""

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = torch.relu(self.norms[0](self.first(x)))
        return torch.relu(self.norms[1](self.second(y)) + x)


class Bottleneck(nn.Module):
    """The block of ResNet-50: narrow, filter, widen."""

    def __init__(self, wide, narrow):
        super().__init__()
        self.steps = nn.ModuleList(
            (
                nn.Conv2d(wide, narrow, 1, bias=False),
                nn.Conv2d(narrow, narrow, 3, padding=1, bias=False),
                nn.Conv2d(narrow, wide, 1, bias=False),
            )
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(n) for n in (narrow, narrow, wide))

    def forward(self, x):
        y = x
        for number, (step, norm) in enumerate(zip(self.steps, self.norms, strict=True)):
            y = norm(step(y))
            y = torch.relu(y) if number < 2 else y
        return torch.relu(x + y)


basic = Residual(64)
basic_eval = Residual(64).eval()
bottleneck_eval = Bottleneck(256, 64).eval()


class Norm(nn.Module):
    """Llama's norm: the mean square in float32, whatever the input."""

    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

    def forward(self, x):
        wide = x.float()
        steady = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)
        return steady.to(x.dtype) * self.scale


norm = Norm(256)


def rope(x, angles):
    """Turn pairs of neighbours by the cosines and sines in `angles`, as gpt-fast does."""
    pairs = x.float().unflatten(-1, (-1, 2))
    angles = angles.view(1, x.shape[1], 1, -1, 2)
    cos, sin = angles[..., 0], angles[..., 1]
    turned = (pairs[..., 0] * cos - pairs[..., 1] * sin, pairs[..., 1] * cos + pairs[..., 0] * sin)
    return torch.stack(turned, -1).flatten(3).to(x.dtype)


def llama_rope_complex(x, cos, sin):
    """The same by a product of complex numbers, as Llama does."""
    turned = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    turn = torch.complex(cos, sin).view(1, x.shape[1], 1, -1)
    return torch.view_as_real(turned * turn).flatten(3).to(x.dtype)


class Block(nn.Module):
    """A layer of gpt-fast: attention with a cache of keys and values, then a gated perceptron."""

    def __init__(self, width=256, heads=4, longest=128):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, heads, longest, width // heads))

    def forward(self, x, places, angles, mask):
        n = self.norms[0](x)
        q, k, v = self.qkv(n).unflatten(-1, (3, self.heads, -1)).unbind(2)
        q, k = rope(q, angles), rope(k, angles)
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        self.keys[:, :, places] = k
        self.values[:, :, places] = v
        y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        n = self.norms[1](x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


block = Block().eval()


class Experts(nn.Module):
    """The mixture of experts of gpt-fast: two of eight, their weights gathered by index."""

    def __init__(self, width=64, hidden=128, experts=8):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.inner = nn.Parameter(torch.randn(experts, hidden, width))
        self.outer = nn.Parameter(torch.randn(experts, width, hidden))

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.gate(x), -1), 2)
        weights = weights / weights.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("ti,taoi->tao", x, self.inner[chosen]))
        found = torch.einsum("tao,taio->tai", hidden, self.outer[chosen])
        return (found * weights.unsqueeze(-1)).sum(1)


moe = Experts().eval()


def gate(x, w):
    weights, chosen = torch.topk(F.softmax(x @ w, -1), 2)
    return weights / weights.sum(-1, keepdim=True), chosen
