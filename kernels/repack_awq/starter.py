import torch


def repack_awq(words: torch.Tensor) -> torch.Tensor:
    """Return GPTQ's words, int32 [K // 8, N], of AWQ's `words`, int32 [K, N // 8]."""
    k, n = words.shape[0], 8 * words.shape[1]
    shifts = torch.arange(0, 32, 4, device=words.device)
    # These are the codes from the lowest bits up. In
    # which order are they, and which are negative?
    places = words.long()[..., None] >> shifts
    codes = places.reshape(k, n)
    # Eight rows of codes become one row of words.
    return codes[::8].to(torch.int32)
