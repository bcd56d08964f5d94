# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def vector(ptr, n, step, WIDTH: tl.constexpr):
    block = tl.make_block_ptr(ptr, (n,), (step,), (0,), (WIDTH,), (0,))
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, xr, xc, wc, bc, WIDTH: tl.constexpr):
    r = tl.program_id(0)
    count = n * 1.0
    v = vector(x_ptr + r * xr, n, xc, WIDTH)
    v -= tl.sum(v, axis=0) / count
    squares = tl.where(tl.arange(0, WIDTH) < n, v * v, 0.0)
    v = v / tl.sqrt(tl.sum(squares, axis=0) / count + eps)
    y = v * vector(w_ptr, n, wc, WIDTH) + vector(b_ptr, n, bc, WIDTH)
    target = tl.make_block_ptr(y_ptr + r * n, (n,), (1,), (0,), (WIDTH,), (0,))
    tl.store(target, y, boundary_check=(0,))


def layer_norm(x, weight, bias, eps):
    rows, n = x.shape
    y = torch.empty((rows, n), dtype=torch.float32, device=x.device)
    kernel[(rows,)](
        x, weight, bias, y, n, eps, x.stride(0), x.stride(1), weight.stride(0), bias.stride(0),
        WIDTH=triton.next_power_of_2(n),
    )
    return y
