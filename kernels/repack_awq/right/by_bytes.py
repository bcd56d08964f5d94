import torch


def repack_awq(words):
    rows, columns = words.shape
    pair = words.contiguous().view(torch.uint8).reshape(rows, columns, 4)
    # Byte b holds places 2 * b and 2 * b + 1.
    places = torch.stack((pair & 15, pair >> 4), dim=-1).reshape(rows, columns, 2, 4)
    codes = places.transpose(2, 3).reshape(rows, 8 * columns)
    two = codes[0::2] | (codes[1::2] << 4)
    four = two.reshape(rows // 8, 4, -1).transpose(1, 2).contiguous()
    return four.view(torch.int32).squeeze(-1)
