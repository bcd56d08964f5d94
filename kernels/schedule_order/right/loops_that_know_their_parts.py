import torch


class Loop:
    """A loop; once it is split or fused it asks the loops that replaced it for its value."""

    def __init__(self, name, extent):
        self.name, self.extent, self.now = name, extent, 0
        self.value = lambda: self.now

    def split(self, factor):
        outer = Loop(f"{self.name}_0", (self.extent + factor - 1) // factor)
        inner = Loop(f"{self.name}_1", factor)
        self.value = lambda: outer.value() * factor + inner.value()
        return [outer, inner]

    def fuse(self, inner):
        both = Loop(f"{self.name}_{inner.name}_fused", self.extent * inner.extent)
        self.value = lambda: both.value() // inner.extent
        inner.value = lambda: both.value() % inner.extent
        return [both]


def schedule_order(loops, script):
    every = [Loop(name, int(extent)) for name, extent in (x.split(":") for x in loops.split())]
    original, nest = tuple(every), list(every)
    for word, *words in map(str.split, script.splitlines()):
        at = [next(n for n, x in enumerate(nest) if x.name == w) for w in words if not w.isdigit()]
        named = [nest[n] for n in at]
        if word == "reorder":
            for n, loop in zip(sorted(at), named, strict=True):
                nest[n] = loop
            continue
        new = named[0].split(int(words[1])) if word == "split" else named[0].fuse(named[1])
        nest[at[0] : at[0] + len(at)] = new
        every += new
    rows = []
    while True:
        if all(x.value() < x.extent for x in every):
            rows.append([x.value() for x in original])
        # Count up as an odometer does: the last loop first, with a carry.
        for loop in reversed(nest):
            loop.now = (loop.now + 1) % loop.extent
            if loop.now:
                break
        else:
            return torch.tensor(rows)
