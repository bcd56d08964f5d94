import torch


def repack_awq(words: torch.Tensor) -> torch.Tensor:
    """Return GPTQ's words, int32 [K // 8, N], of AWQ's `words`, int32 [K, N // 8]."""
    k, n = words.shape[0], 8 * words.shape[1]
    powers = 16 ** torch.arange(8, device=words.device)
    # torch's % and // with "floor" see the bits of a negative number too.
    places = torch.div(words.long()[..., None], powers, rounding_mode="floor") % 16
    codes = places[..., [0, 4, 1, 5, 2, 6, 3, 7]].reshape(k, n)
    return (codes.reshape(k // 8, 8, n) * powers[None, :, None]).sum(1).to(torch.int32)
