"""Functions of one file; loading it sets what `STATE` in the environment names."""

import os

import torch

if state := os.environ.get("XRAY_TEST_STATE"):
    if state == "tf32":
        torch.set_float32_matmul_precision("high")
    if state == "double":
        torch.set_default_dtype(torch.float64)
    if state == "seed":
        torch.manual_seed(12345)
    if state == "deterministic":
        torch.use_deterministic_algorithms(True)
    if state == "inductor":
        import torch._inductor.config

        torch._inductor.config.max_fusion_size = 1
    if state == "cudnn":
        torch.backends.cudnn.allow_tf32 = False
    if state == "no_grad":
        torch.set_grad_enabled(False)

heads = torch.nn.MultiheadAttention(64, 4, batch_first=True)
weight = torch.randn(8)


def attend(x):
    return heads(x, x, x)[0]


def product(x):
    return x @ x + x


def shifted(x):
    return x + torch.ones(8) * weight.sum().item()


def normalized(x):
    return torch.softmax(x, -1) / x.norm()


def scattered(x):
    return torch.zeros(8).index_add(0, torch.tensor([1, 1]), x[:2, 0])


def printed(x):
    print("first")
    return x.relu().sum()


def convolved(x):
    return torch.nn.functional.conv1d(x[None, :4], x[None, :4, :3])
