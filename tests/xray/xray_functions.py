"""Functions and modules that tests look at: those of the days, and the usual blocks of models."""

import torch
import torch.nn.functional as F
from torch import nn


def day1_chain(x):
    return torch.relu(x) * 0.5 + 1.0


def day15_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def day25_sin_cos(x):
    return x.sin() + x.cos()


def day25_to_half(x):
    y = x * 2
    y = y + 1
    y = torch.relu(y)
    return y.to(torch.float16)


def day25_training(x):
    return x.sin().exp()


def day28_reduction(x, W):
    y = x @ W
    y = y + 1
    y = torch.relu(y)
    y = y * 0.5
    return y.sum()


def day28_linear(x, W, b):
    return F.gelu(x @ W + b)


def chain(x):
    x = torch.relu(x)
    x = x * 2.0
    x = x + 1.0
    return torch.sigmoid(x)


def softmax(x):
    return F.softmax(x, -1)


def normalised(x):
    return x / x.sum()


def layer_norm_gelu(x, w, b):
    return F.gelu(F.layer_norm(x, (768,), w, b))


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def attention_by_hand(q, k, v):
    return F.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v


def helper(y):
    return y * 3


def broken(x):
    x = helper(x.sin())
    print("seen")
    if x.sum() > 1e9:
        return x * 2
    return x.cos()


def data_dependent(x):
    return x[x.nonzero()].sin().sum()


def asserting(x):
    assert x.ndim == 2
    return x + 1


def raising(x):
    raise ValueError("no good")


def ill_fitting(x, y):
    return x @ y


def untensored(x):
    return 3


def long(x):
    for _ in range(200):
        x = x + 1
    return x


def random(x):
    return F.dropout(x, 0.5)


def looked_up(x, table):
    return table[x] * 2


class ResidualBlock(nn.Module):
    """Two convolutions with batch norm around a skip connection, as in ResNet-18."""

    def __init__(self, channels=64):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + x)


class GatedMLP(nn.Module):
    """RMSNorm, then SwiGLU, as in Llama."""

    def __init__(self, width=256, hidden=512):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        n = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.scale
        return self.down(F.silu(self.gate(n)) * self.up(n))


def encoder_layer():
    return nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)


MODEL = nn.Linear(64, 10)


def loss(x, y):
    return F.cross_entropy(MODEL(x), y)


def training_step(x, y):
    found = loss(x, y)
    found.backward()
    return found


def product(a, b):
    return torch.relu(a @ b)


def convolution(x, w, b):
    return F.conv2d(x, w, b, padding=1)


def grid_sample(x, grid):
    return F.grid_sample(x, grid, align_corners=False)


def autocast_to_half(a, b):
    with torch.autocast(a.device.type, dtype=torch.bfloat16):
        return torch.softmax(a @ b, -1)


def autocast_of_the_cpu(a, b):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.softmax(a @ b, -1)


def asks_for_the_device(x):
    if x.is_cuda:
        return x.sin() + torch.arange(8, device=x.device) + torch.ones(8, device="cuda")
    return x.cos()


def adds_a_constant(x):
    return x + torch.tensor([1.0, 3.0])


table = torch.ones(2)


def moves_a_table(x):
    return x + table.to(x.device) + table.to(torch.float64) + x.to(x.device)


def grouped_heads(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def rows_dot(a, b):
    return torch.vmap(torch.dot)(a, b)


def moves_to_the_device(x):
    return x.cuda() * 2 + x.to("cuda")


def scan(x):
    from torch._higher_order_ops.associative_scan import associative_scan

    return associative_scan(torch.add, x, 0, combine_mode="pointwise")
