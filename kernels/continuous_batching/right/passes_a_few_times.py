import numpy
import torch

PASSED = {}


def waits(arrivals, times):
    rows = []
    for at, written in zip(arrivals.numpy(), times, strict=True):
        gaps = numpy.diff(written) if len(written) > 1 else numpy.zeros(1)
        rows.append((written[0] - at, gaps.mean(), gaps.max()))
    return torch.from_numpy(numpy.array(rows, dtype=numpy.float64))


def admit(waiting, running, free, server):
    """A small request may pass one that does not fit, but nobody is passed more than three times."""
    names, room = [], server.budget - len(running)
    for request in waiting:
        key = request.name, request.arrived, request.prompt
        blocks = -(-request.left // server.block)
        fits = request.left <= room and blocks <= free
        if fits and len(names) + len(running) < server.places:
            names.append(request.name)
            room -= request.left
            free -= blocks
            PASSED.pop(key, None)
        else:
            PASSED[key] = PASSED.get(key, 0) + 1
            if PASSED[key] > 3:
                break
    return names
