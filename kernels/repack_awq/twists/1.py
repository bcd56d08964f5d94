import torch


def repack_awq(words: torch.Tensor) -> torch.Tensor:
    """Return GPTQ's words, int32 [K // 8, N], of AWQ's `words`, int32 [K, N // 8]."""
    k, columns = words.shape
    block = words.reshape(k // 8, 8, columns)
    out = torch.zeros(k // 8, columns, 8, dtype=torch.int32, device=words.device)
    for output in range(8):
        place = output // 2 + 4 * (output % 2)
        for i in range(8):
            out[..., output] |= ((block[:, i] >> (4 * place)) & 15) << (4 * i)
    return out.reshape(k // 8, 8 * columns)
