import torch


def pack_q4_0(w: torch.Tensor) -> torch.Tensor:
    """Return the Q4_0 blocks of `w` [N, K], 18 bytes for 32 numbers: uint8 [N, K // 32 * 18]."""
    rows, k = w.shape
    block = w.float().reshape(rows, k // 32, 32)
    high, low = block.amax(-1, keepdim=True), block.amin(-1, keepdim=True)
    place = torch.arange(32, device=w.device)
    at_high = torch.where(block == high, place, 32).amin(-1, keepdim=True)
    at_low = torch.where(block == low, place, 32).amin(-1, keepdim=True)
    # Both ends may be as large as each other. Then the first one counts.
    upper = (high > -low) | ((high == -low) & (at_high <= at_low))
    d = torch.where(upper, high, low) / -8
    inverse = torch.where(d == 0, 0.0, 1 / d)
    codes = (block * inverse + 8.5).to(torch.int32).clamp(max=15).to(torch.uint8)
    packed = codes[..., :16] | (codes[..., 16:] << 4)
    return torch.cat((d.half().view(torch.uint8), packed), dim=-1).reshape(rows, -1)
