import torch


def u8s8_dot(x, w, start, instruction):
    # The exact product first, and then what each pair loses.
    exact = x.double() @ w.double().T + start.double()
    lost = torch.zeros_like(exact)
    if instruction == "vpmaddubsw":
        last = x.shape[1] - 1
        for k in range(0, last, 2):
            pair = (
                x[:, k].int()[:, None] * w[:, k].int() + x[:, k + 1].int()[:, None] * w[:, k + 1].int()
            )
            lost += torch.relu(pair - 32767) - torch.relu(-32768 - pair)
    total = (exact - lost).long()
    return ((total + 2**31) % 2**32 - 2**31).int()
