# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    x_ptr += row * columns
    out_ptr += row * columns
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        total += tl.load(x_ptr + start + lane, mask=start + lane < columns, other=0.0)
    mean = tl.sum(total) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        there = start + lane < columns
        x = tl.load(x_ptr + start + lane, mask=there, other=0.0)
        difference = tl.where(there, x - mean, 0.0)
        squares += difference * difference
    root = 1 / tl.sqrt(tl.sum(squares) / columns + eps)
    for start in range(0, columns, BLOCK):
        there = start + lane < columns
        x = tl.load(x_ptr + start + lane, mask=there)
        weight = tl.load(weight_ptr + start + lane, mask=there)
        bias = tl.load(bias_ptr + start + lane, mask=there)
        tl.store(out_ptr + start + lane, (x - mean) * root * weight + bias, mask=there)


def layer_norm(x, weight, bias, eps):
    x, weight, bias = x.contiguous(), weight.contiguous(), bias.contiguous()
    out = torch.empty_like(x)
    layer_norm_kernel[(x.shape[0],)](x, weight, bias, out, x.shape[1], eps, BLOCK=1024)
    return out
