import torch


def pack_q4_0(w):
    blocks = w.to(torch.float32).reshape(-1, 32)
    place = blocks.abs().max(dim=1).indices
    top = blocks[torch.arange(len(blocks)), place]
    d = -(top / 8)
    scaled = blocks * torch.reciprocal(d).masked_fill(d == 0, 0.0)[:, None]
    codes = torch.trunc(scaled + 8.5).clamp(0, 15).to(torch.uint8)
    bytes_ = blocks.new_empty((len(blocks), 18), dtype=torch.uint8)
    bytes_[:, :2] = d.to(torch.float16)[:, None].view(torch.uint8)
    bytes_[:, 2:] = codes[:, :16] + codes[:, 16:] * 16
    return bytes_.view(w.shape[0], -1)
