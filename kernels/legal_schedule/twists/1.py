import torch


def legal(extents, distances, schedules):
    fitting = distances[(distances.abs() < extents).all(1)]
    times = schedules @ fitting.T  # [schedules, rows, distances]
    places = torch.arange(times.shape[1], 0, -1)[None, :, None]
    first = ((times != 0) * places).argmax(1, keepdim=True)
    return (times.gather(1, first) > 0).all(2).squeeze(1)


def counterexample(extents, distances, schedule):
    for x in distances[(distances.abs() < extents).all(1)]:
        if not legal(extents, x[None], schedule[None]).item():
            source = (-x).clamp(min=0)
            return source.tolist(), (source + x).tolist()
    return None
