import torch

from tutor.judge.spec import Case, Work


def reference(image, layers, budget):
    return tallest(image, layers, budget)


eager = reference


def heights(rows, layers):
    """Return the rows of the image, and of each layer's result."""
    found = [rows]
    for kernel, stride, padding, _, _ in layers:
        found.append((found[-1] + 2 * padding - kernel) // stride + 1)
    return found


def needed(band, layers, tall, change=""):
    """Return for each layer's input, and the result, (first, behind the last) of a band's rows."""
    found = [band]
    for i in reversed(range(len(layers))):
        kernel, stride, padding = layers[i][:3]
        low, high = found[0]
        if change == "alone" or (change == "last" and i < len(layers) - 1) or (change == "image" and i):
            found.insert(0, (min(low * stride, tall[i]), min(high * stride, tall[i])))
            continue
        begin, end = low * stride - padding, (high - 1) * stride - padding + kernel
        if change == "stride":
            begin, end = low - padding, high - 1 - padding + kernel
        elif change == "padding":
            begin, end = low * stride, (high - 1) * stride + kernel
        elif change == "far":
            end = high * stride - padding + kernel
        elif change == "half":
            begin, end = low * stride - kernel // 2, high * stride + kernel // 2
        limit = tall[0] if change == "one limit" else tall[i]
        begin = begin if change == "above" else max(0, begin)
        found.insert(0, (begin, end if change == "below" else min(limit, end)))
    return found


def cost(step, image, layers, change=""):
    """Return the peak and the multiplications with bands of `step` rows. `change` names a mistake."""
    tall = heights(image[0], layers)
    of_row = [image[1], *(layer[3] for layer in layers)]
    result, peaks, work = of_row[-1] * tall[-1], [], 0
    for top in range(0, tall[-1], step):
        behind = top + step if change == "full" else min(top + step, tall[-1])
        rows = [high - low for low, high in needed((top, behind), layers, tall, change)]
        held = [count * size for count, size in zip(rows, of_row, strict=True)]
        at = []
        for i in range(len(layers)):
            last = i == len(layers) - 1
            made = 0 if last and change != "last twice" else held[i + 1]
            read = 0 if change == "no image" and i == 0 else held[i]
            at.append(max(read, made) if change == "one" else read if change == "reads" else read + made)
        peaks.append(max(at) + (held[-1] if change == "own result" else 0))
        made_rows = [tall[i + 1] if change == "once" else rows[i + 1] for i in range(len(layers))]
        share = zip(made_rows, layers, strict=True)
        work = (0 if change == "once" else work) + sum(count * layer[4] for count, layer in share)
    if change == "first":
        peaks = peaks[:1]
    elif change == "last band":
        peaks = peaks[-1:]
    return max(peaks) + (0 if change in ("no result", "own result") else result), work


def tallest(image, layers, budget, change=""):
    image, layers = image.long().tolist(), layers.long().tolist()
    most = heights(image[0], layers)[-1]
    steps = list(range(most, 0, -1))
    if change == "small":
        steps = steps[::-1]
    elif change == "equal":
        steps = [step for step in steps if most % step == 0]
    for step in steps:
        peak, work = cost(step, image, layers, change)
        if peak < budget or (peak == budget and change != "strict"):
            return torch.tensor([step, peak, work])
    return torch.tensor([0, 0, 0])


def by_mistake(change):
    return lambda image, layers, budget: tallest(image, layers, budget, change)


NEAR_MISSES = (
    ("a band needs no rows of its neighbours", by_mistake("alone")),
    ("only the last layer reads rows of neighbouring bands", by_mistake("last")),
    ("only the first layer reads rows of neighbouring bands", by_mistake("image")),
    ("strides are left out of the rows that are read", by_mistake("stride")),
    ("padding does not move the rows that are read", by_mistake("padding")),
    ("the last row to be made reads a stride too far", by_mistake("far")),
    ("half a kernel is read on each side, whatever the padding is", by_mistake("half")),
    ("rows above the image are stored and computed", by_mistake("above")),
    ("rows below the image are stored and computed", by_mistake("below")),
    ("rows end where the image's do, and not the layer's own", by_mistake("one limit")),
    ("the last band has as many rows as the others", by_mistake("full")),
    ("each row is computed once, also where two bands need it", by_mistake("once")),
    ("the rows read and the rows made are not there at once", by_mistake("one")),
    ("the rows that a layer makes are not counted", by_mistake("reads")),
    ("the rows of the image are not counted", by_mistake("no image")),
    ("the result is not counted", by_mistake("no result")),
    ("of the result a band's rows are counted only", by_mistake("own result")),
    ("the last layer's rows are counted twice", by_mistake("last twice")),
    ("the first band alone is looked at", by_mistake("first")),
    ("the last band alone is looked at", by_mistake("last band")),
    ("the smallest step that fits is taken", by_mistake("small")),
    ("a peak of just the budget does not fit", by_mistake("strict")),
    ("only steps are tried by which the rows can be divided", by_mistake("equal")),
)


def explain_wrong(got, image, layers, budget):
    """Say which of the three numbers is wrong first."""
    want, found = reference(image, layers, budget).tolist(), got.long().tolist()
    if found[0] == want[0] == 0:
        return f"No step fits, so all three numbers are 0, and you return {found}."
    if found[0] != want[0]:
        if not 0 < found[0] <= heights(int(image[0]), layers.long().tolist())[-1]:
            return f"A band has {found[0]} rows; it is {want[0]}."
        peak, _ = cost(found[0], image.long().tolist(), layers.long().tolist())
        fits = "fits, but is not the largest one" if peak <= budget else "does not fit"
        return f"A step of {found[0]} needs {peak:,} bytes. It {fits}: the budget is {budget:,}."
    if found[1] != want[1]:
        return f"With bands of {want[0]} rows the peak is {want[1]:,} bytes, and not {found[1]:,}."
    return f"With bands of {want[0]} rows it is {want[2]:,} multiplications, and not {found[2]:,}."


def work(image, layers, budget):
    return Work(bytes=8 * layers.numel() + 16 + 24, flops=0)


def scale(image, layers, budget):
    return 0.0


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def net(image, *layers):
    """Make (image, layers) of kernel, stride, padding and channels; images have one byte a number."""
    rows, columns, channels = image
    shape, found, width = [rows, columns * channels], [], columns
    for kernel, stride, padding, more in layers:
        width = (width + 2 * padding - kernel) // stride + 1
        found.append([kernel, stride, padding, width * more, width * more * channels * kernel**2])
        channels = more
    return torch.tensor(shape), torch.tensor(found)


def within(make, step=None, more=0):
    """Make a case whose budget is the peak of `step` rows (drawn if None), and `more` bytes."""

    def case(g):
        image, layers = make(g)
        most = heights(int(image[0]), layers.tolist())[-1]
        chosen = step or draw(g, max(1, most // 4), max(2, most // 2 + 1))
        peak, _ = cost(min(chosen, most), image.tolist(), layers.tolist())
        return image, layers, peak + more

    return case


def drawn(count, rows):
    """Draw layers of unlike kernels, strides and paddings."""

    def make(g):
        layers = []
        for _ in range(count):
            kernel = draw(g, 2, 6)
            stride = draw(g, 1, 3)
            layers.append((kernel, stride, draw(g, 0, kernel), 2 ** draw(g, 2, 5)))
        return net((rows, rows + draw(g, 0, 9), 3), *layers)

    return make


def known(image, *layers):
    return lambda g: net(image, *layers)


def view(g):
    """Make layers that are every second row of a longer list, laid out by columns."""
    image, layers, budget = within(drawn(3, 40))(g)
    long = layers.repeat_interleave(2, 0).t().contiguous().t()
    return image, long[::2], budget


THREE = known((48, 48, 3), (3, 2, 1, 16), (3, 1, 1, 16), (3, 2, 1, 32))

def given(budget, image, *layers):
    """Make a case of these rows, bytes and multiplications."""
    return lambda g: (torch.tensor(image), torch.tensor(layers), budget)


# The peak of the next taller band is above the budget, and that of a still taller one is not: with two
# bands each lies at a border.
SEAMS = ((3, 2, 0, 44, 44), (3, 1, 0, 25, 33), (2, 1, 0, 5, 59), (3, 1, 2, 15, 96))
FLAT = ((1, 1, 0, 40, 32), (2, 2, 1, 30, 24), (5, 2, 4, 24, 39))
MIXED = known((44, 20, 2), (5, 1, 1, 8), (4, 2, 3, 8), (3, 1, 0, 4))


def large(g):
    """Make layers whose bytes and multiplications need more than the 53 bits of a float64."""
    unit = 1 << 48
    layers = (3, 1, 1, 20 * unit + 3, 60 * unit + 5), (3, 1, 1, 30 * unit + 7, 90 * unit + 9)
    return torch.tensor((40, 40 * unit + 1)), torch.tensor(layers)


CASES = (
    Case("one layer", within(known((32, 32, 3), (3, 1, 1, 8)), 5)),
    Case("three layers", within(THREE, 4)),
    Case("room for the whole image", within(THREE, 12, 5000)),
    Case("no step fits", within(THREE, 1, -1)),
    Case("a kernel of 5 without padding", within(known((40, 40, 1), (5, 1, 0, 8), (5, 2, 0, 8)), 3)),
    Case("a tall kernel with little padding", within(MIXED, 7)),
    Case("two tall bands need less than more of them", given(1477, (47, 17), *SEAMS)),
    Case("a taller band needs less", given(3227, (63, 37), *FLAT)),
    Case("a large result", given(9000, (40, 40), (3, 1, 1, 20, 60), (3, 1, 1, 120, 90))),
    Case("numbers of more than 53 bits", within(large, 5)),
    Case("drawn", within(drawn(4, 60))),
    Case("drawn, six layers", within(drawn(6, 64))),
    Case("drawn, two layers", within(drawn(2, 30), None, 1)),
    Case("a view", view),
)
