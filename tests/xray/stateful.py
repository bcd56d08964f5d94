"""Functions of one file; loading it sets what `STATE` in the environment names."""

import os

import torch

if state := os.environ.get("XRAY_TEST_STATE"):
    if state == "tf32":
        torch.set_float32_matmul_precision("high")
    if state == "tf32 of products":
        torch.backends.cuda.matmul.fp32_precision = "tf32"
    if state == "tf32 of all":
        torch.backends.fp32_precision = "tf32"
    if state == "double":
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(12345)
    if state == "deterministic":
        torch.use_deterministic_algorithms(True)
    if state == "inductor":
        import torch._inductor.config

        torch._inductor.config.max_fusion_size = 1
    if state == "no_grad":
        torch.set_grad_enabled(False)
        torch.set_default_device("cpu")

heads = torch.nn.MultiheadAttention(64, 4, batch_first=True)
weight = torch.randn(8)


def attend(x):
    return heads(x, x, x)[0]


def attend_by_hand(x):
    return torch.bmm(torch.softmax(torch.bmm(x, x.mT), -1), x)


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
