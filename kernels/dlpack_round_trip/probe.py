"""Watches the memory of tensors that the learner's `round_trip` gets. Plain values leave the process."""

import torch
import tvm

PLAIN, BACK = tvm.runtime.from_dlpack, torch.from_dlpack


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
    "a row that begins 32 bytes further on": lambda: room()[8:],
    "the left columns of a wider matrix": lambda: room().view(4, 16)[:, :5],
    "a transposed matrix that begins 32 bytes further on": lambda: room()[8:].view(7, 8).t(),
    "one number that is expanded": lambda: torch.ones(1).expand(7),
    "a vector in NumPy's memory, 12 bytes further on": lambda: torch.from_numpy(room().numpy()[3:]),
}
GRADIENTS = {
    "A vector": lambda: room().requires_grad_(),
    "A computed vector": lambda: room().requires_grad_() * 1,
    "A transposed matrix": lambda: room().view(8, 8).t().requires_grad_(),
}


class Gate:
    """Stands in the place of TVM's `from_dlpack`, and notes the addresses that TVM got.

    `outside`: tensors of PyTorch whose storage does not come from TVM.
    """

    def __init__(self):
        self.seen, self.outside = [], []

    def clear(self, x):
        self.seen, self.outside = [], [x]

    def __call__(self, x):
        tensor = PLAIN(x)
        self.seen.append(tensor.data_ptr())
        self.outside.append(x)
        return tensor

    def back(self, x, *args, **named):
        """PyTorch's `from_dlpack`: what it makes of a tensor of PyTorch was never in TVM."""
        tensor = BACK(x, *args, **named)
        if isinstance(x, torch.Tensor):
            self.outside.append(tensor)
        return tensor

    def left(self, tensor):
        """Whether the storage of `tensor` is one that TVM has handed out."""
        storages = {storage(x) for x in self.outside if isinstance(x, torch.Tensor)}
        return storage(tensor) not in storages


def storage(tensor):
    return tensor.untyped_storage()._cdata


def probe(module, device):
    gate = Gate()
    spaces = [vars(module), vars(tvm.runtime), vars(torch), vars(torch.utils.dlpack)]
    swapped = [
        (space, name, value)
        for space in spaces
        for name, value in list(space.items())
        if value is PLAIN or value is BACK
    ]
    for space, name, value in swapped:
        space[name] = gate if value is PLAIN else gate.back
    try:
        return {
            "taken": {
                name: watched(module.round_trip, gate, make()) for name, make in TAKEN.items()
            },
            "refused": {
                name: watched(module.round_trip, gate, make()) for name, make in REFUSED.items()
            },
            "gradients": {
                name: refusal(module.round_trip, make()) for name, make in GRADIENTS.items()
            },
        }
    finally:
        for space, name, value in swapped:
            space[name] = value


def watched(round_trip, gate, x):
    gate.clear(x)
    before = x.clone()
    try:
        back = round_trip(x)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    if not isinstance(back, torch.Tensor) or not torch.equal(back, before):
        return {"error": "other numbers came back"}
    left = gate.left(back)
    back.flatten()[-1:].copy_(
        ~back.flatten()[-1:] if back.dtype == torch.bool else back.flatten()[-1:] + 1
    )
    return {
        "error": "",
        "same": back.data_ptr() == x.data_ptr(),
        "seen": not torch.equal(x, before),
        "visited": back.data_ptr() in gate.seen,
        "asked": bool(gate.seen),
        "left": left,
    }


def refusal(round_trip, x):
    try:
        round_trip(x)
    except Exception as error:
        return type(error).__name__
    return ""
