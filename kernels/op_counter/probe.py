"""Uses the learner's `OpCounter` on three programs. Plain values only leave the process."""

import torch

PROGRAMS = {
    "a linear layer": (
        "layer = torch.nn.Linear(4, 3)\ndef step():\n    return layer(torch.ones(2, 4)).sum()"
    ),
    "a conversion and a view": (
        "x = torch.ones(3, 4, requires_grad=True)\ndef step():\n"
        "    return (x.T.to(torch.float64) * 2).sum(dtype=torch.float32)"
    ),
    "a layer under inference_mode": (
        "layer = torch.nn.Linear(4, 3)\ndef step():\n"
        "    with torch.inference_mode():\n        s = layer(torch.ones(2, 4)).sum().item()\n"
        "    return layer(torch.ones(2, 4)).sum() * s"
    ),
    "attention": (
        "q = torch.ones(2, 5, 8, requires_grad=True)\ndef step():\n"
        "    return (torch.softmax(q @ q.mT / 8, -1) @ q).mean()"
    ),
}


def heard(counter_class, text):
    """[calls during the program, calls after a second, unheard program]; strings only."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec(text, names)
    with counter_class() as counter:
        names["step"]()
    during = [plain(name) for name in list(counter.calls)[:200]]
    torch.ones(3).mul(2)  # nobody listens any more
    return [during, len(counter.calls)]


def heard_twice(counter_class):
    """`calls` of a counter that listened to an addition, and later to a product."""
    counter, x = counter_class(), torch.ones(3)
    with counter:
        x.add(1)
    with counter:
        x.mul(2)
    return [plain(name) for name in list(counter.calls)[:10]]


def plain(name):
    """Return a name as it is, and of what is no text a text that says so."""
    return str(name) if isinstance(name, str) else f"{name!r:.60}, a {type(name).__name__}"


def probe(module, device):
    counter_class = getattr(module, "OpCounter", None)
    found = {"is_class": isinstance(counter_class, type)}
    if not found["is_class"]:
        return found
    found["has_calls"] = isinstance(getattr(counter_class(), "calls", None), list)
    if found["has_calls"]:
        found["heard"] = {name: heard(counter_class, text) for name, text in PROGRAMS.items()}
        found["twice"] = heard_twice(counter_class)
    return found
