"""Watches the memory of tensors that the learner's `round_trip` gets. Plain values leave the process."""

import torch
import tvm

PLAIN = tvm.runtime.from_dlpack


def room():
    """64 numbers at an address that TVM takes."""
    return torch.arange(64.0)


TAKEN = {
    "a vector": lambda: room(),
    "a matrix": lambda: room().view(8, 8),
    "a row that begins 64 bytes further on": lambda: room()[16:],
    "integers": lambda: torch.arange(64),
    "bools": lambda: torch.arange(64) % 3 == 0,
    "one row of a wider matrix, at its beginning": lambda: room().view(4, 16)[0, :5],
}
REFUSED = {
    "a transposed matrix": lambda: room().view(8, 8).t(),
    "every second number": lambda: room()[::2],
    "a row that begins 12 bytes further on": lambda: room()[3:],
    "a row that begins 16 bytes further on": lambda: room()[4:20],
    "a transposed matrix that begins 32 bytes further on": lambda: room()[8:].view(7, 8).t(),
    "one number that is expanded": lambda: torch.ones(1).expand(7),
}


class Gate:
    """Stands in the place of `from_dlpack`, and notes the addresses that TVM got."""

    def __init__(self):
        self.seen = []

    def __call__(self, x):
        tensor = PLAIN(x)
        self.seen.append(tensor.data_ptr())
        return tensor


def probe(module, device):
    gate = Gate()
    names = [name for name, value in vars(module).items() if value is PLAIN]
    for name in names:
        setattr(module, name, gate)
    tvm.runtime.from_dlpack = gate
    try:
        return {
            "taken": {
                name: watched(module.round_trip, gate, make()) for name, make in TAKEN.items()
            },
            "refused": {
                name: watched(module.round_trip, gate, make()) for name, make in REFUSED.items()
            },
            "gradient": refusal(module.round_trip, room().requires_grad_()),
        }
    finally:
        tvm.runtime.from_dlpack = PLAIN
        for name in names:
            setattr(module, name, PLAIN)


def watched(round_trip, gate, x):
    gate.seen.clear()
    before = x.clone()
    try:
        back = round_trip(x)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    if not isinstance(back, torch.Tensor) or not torch.equal(back, before):
        return {"error": "other numbers came back"}
    back.flatten()[-1:].copy_(
        ~back.flatten()[-1:] if back.dtype == torch.bool else back.flatten()[-1:] + 1
    )
    return {
        "error": "",
        "same": back.data_ptr() == x.data_ptr(),
        "seen": not torch.equal(x, before),
        "visited": back.data_ptr() in gate.seen,
        "asked": bool(gate.seen),
    }


def refusal(round_trip, x):
    try:
        round_trip(x)
    except Exception as error:
        return type(error).__name__
    return ""
