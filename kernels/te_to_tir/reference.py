import torch

from tutor.judge.spec import Case, Work

OFF = 1e-4  # the probe's results are below 20


def convolved(x, w):
    return torch.nn.functional.conv1d(x[None], w)[0]


def reference(x, w):
    return convolved(x, w).softmax(-1)


eager = reference


def work(x, w):
    places, filters = x.shape[1] - w.shape[2] + 1, w.shape[0]
    numbers = x.numel() + w.numel() + filters * places
    return Work(bytes=4 * numbers, flops=2 * w.numel() * places + 3 * filters * places)


def scale(x, w):
    """A score's rounding error is the relative error of its exponential."""
    sizes = convolved(x.abs(), w.abs())
    return reference(x, w) * (1 + sizes.amax(-1, keepdim=True))


def check_found(found):
    """(code, sentence) where a function is built otherwise than asked, else None."""
    for name, check in (("conv1d", _check_convolution), ("row_softmax", _check_softmax)):
        for each, sizes in zip(found[name], SIZES[name], strict=True):
            about = f"`{name}({', '.join(map(str, sizes))})`"
            if each["kind"] != "PrimFunc":
                return "wrong-values", f"{about} returns {each['kind']}, not a PrimFunc."
            if not each["off"] <= OFF:
                return "wrong-values", f"{about} alone gives other results than asked for."
            if each["blocks"][-1]["name"] != "out":
                last = each["blocks"][-1]["name"]
                return "wrong-values", f"The last block of {about} is named `{last}`, not `out`."
            if said := check(each, sizes):
                return "wrong-values", f"In {about} {said}"
    return None


SIZES = {
    "conv1d": ((3, 10, 4, 3), (1, 6, 2, 6), (5, 7, 1, 1)),
    "row_softmax": ((4, 6), (1, 9), (5, 2)),
}


def _longer(axes):
    """The axes in order, without spatial ones of length 1."""
    return sorted(axis for axis in axes if axis != ("S", 1))


def _letters(block):
    return "".join(block["axes"])


def _check_convolution(each, sizes):
    channels, length, filters, width = sizes
    if len(each["blocks"]) > 1:
        first = each["blocks"][0]["name"]
        return f"there are {len(each['blocks'])} blocks, first `{first}`. One block is enough."
    block = each["blocks"][0]
    axes = sorted(zip(block["axes"], block["extents"], strict=True))
    places = length - width + 1
    wanted = sorted((("S", filters), ("S", places), ("R", channels), ("R", width)))
    if axes != wanted:
        return (
            f"the block has the axes {_letters(block)} of {block['extents']}. Asked for are spatial "
            f"axes of {filters} and {places}, and reduction axes of {channels} and {width}."
        )
    return None


def _check_softmax(each, sizes):
    reductions = [block for block in each["blocks"] if "R" in block["axes"]]
    for block in reductions:
        axes = zip(block["axes"], block["extents"], strict=True)
        if _longer(axes) != _longer((("S", sizes[0]), ("R", sizes[1]))):
            return (
                f"the block `{block['name']}` has the axes {_letters(block)} of {block['extents']}. "
                f"A spatial axis of {sizes[0]} and a reduction axis of {sizes[1]} are asked for."
            )
    if len(reductions) != 2:
        return f"{len(reductions)} blocks have a reduction axis. It takes two: maximum and sum."
    if each["exponentials"] != 1:
        return f"`exp` stands in {each['exponentials']} places. Each exponential is computed once."
    whole = [name for name, *shape in each["buffers"] if shape == list(sizes)]
    if len(whole) > 1:
        names = " and ".join(f"`{name}`" for name in whole[:3])
        return f"{names} are whole matrices between the blocks. One is enough."
    return None


def drawn(channels, length, filters, width, factor=1.0, shift=0.0):
    def make(g):
        x = torch.randn(channels, length, generator=g, device=g.device)
        w = torch.randn(filters, channels, width, generator=g, device=g.device)
        return x * factor + shift, w

    return make


def far_below(g):
    x, w = drawn(2, 12, 3, 3)(g)
    return -60 - x.abs(), w.abs() + 0.5


def views(g):
    x, w = drawn(6, 9, 4, 3)(g)
    return x.T.contiguous().T, torch.stack([w, w], 3)[..., 1]


CASES = (
    Case("one filter of one number", drawn(1, 5, 1, 1)),
    Case("one channel", drawn(1, 9, 2, 3)),
    Case("three channels", drawn(3, 12, 4, 3)),
    Case("an even width", drawn(2, 9, 3, 2)),
    Case("a filter as long as the row", drawn(3, 6, 4, 6)),
    Case("more filters than places", drawn(2, 6, 9, 4)),
    Case("large scores", drawn(2, 10, 3, 3, factor=150.0)),
    Case("all scores far below 0", far_below),
    Case("views", views),
)

NEAR_MISSES = (
    (
        "each filter is read from its end",
        lambda x, w: convolved(x, w.flip(-1)).softmax(-1),
    ),
    ("only the first channel is summed", lambda x, w: convolved(x[:1], w[:, :1]).softmax(-1)),
    ("the softmax goes down the columns", lambda x, w: convolved(x, w).softmax(0)),
    ("there is no softmax", convolved),
)
