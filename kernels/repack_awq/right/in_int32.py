import torch

ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


def repack_awq(words):
    """One output of a word at a time; the sign bit comes from the last shift by itself."""
    k, c = words.shape
    out = words.new_zeros((k // 8, c, 8))
    for i in range(8):
        row = words[i::8]
        for place, output in enumerate(ORDER):
            code = torch.bitwise_and(torch.bitwise_right_shift(row, 4 * place), 15)
            out[..., output] |= torch.bitwise_left_shift(code, 4 * i)
    return out.flatten(1)
