import torch


def repack_awq(words: torch.Tensor) -> torch.Tensor:
    """Return GPTQ's words, int32 [K // 8, N], of AWQ's `words`, int32 [K, N // 8]."""
    k, n = words.shape[0], 8 * words.shape[1]
    shifts = torch.arange(0, 32, 4, device=words.device)
    # & 15 also takes away the copies of the sign that >> brings in.
    places = (words.long()[..., None] >> shifts) & 15
    # Output j of a word is at place [0, 4, 1, 5, 2, 6, 3, 7][j]: the inverse of AWQ's order.
    codes = places[..., [0, 4, 1, 5, 2, 6, 3, 7]].reshape(k, n)
    eight = codes.reshape(k // 8, 8, n) << shifts[None, :, None]
    return eight.sum(1).to(torch.int32)
