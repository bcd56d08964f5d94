import torch

from tutor.judge.spec import Case, Work

WAYS = ("make_fx", "symbolic_trace", "export", "dynamo", "jit_trace")
SAID = ("REFUSED", "RIGHT", "WRONG", "STOPS")
REFUSED, RIGHT, WRONG, STOPS = range(4)

# The outcomes, in the order of WAYS, by the first line of the function. They hold for torch 2.11 to
# 2.13; the solution, which asks torch, must come out the same at every check of the course.
OUTCOMES = {
    "def straight(x):": (RIGHT, RIGHT, RIGHT, RIGHT, RIGHT),
    "def straight_elsewhere(x):": (RIGHT, RIGHT, STOPS, RIGHT, RIGHT),
    "def by_data(x):": (REFUSED, REFUSED, REFUSED, RIGHT, WRONG),
    "def by_size(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def over_len(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def over_rows(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def per_row(x):": (WRONG, RIGHT, STOPS, RIGHT, RIGHT),
    "def where(x):": (RIGHT, RIGHT, RIGHT, RIGHT, RIGHT),
    "def one_entry(x):": (RIGHT, REFUSED, RIGHT, RIGHT, RIGHT),
    "def through_numpy(x):": (WRONG, REFUSED, REFUSED, RIGHT, WRONG),
    "def two_rows_only(x):": (REFUSED, RIGHT, REFUSED, REFUSED, REFUSED),
    "def a_row_each(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def rolled(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def doubled(x):": (WRONG, REFUSED, STOPS, RIGHT, WRONG),
    "def of_a_tensor(x):": (RIGHT, WRONG, RIGHT, RIGHT, RIGHT),
}
WHY = {
    ("make_fx", WRONG): "It runs the function's Python on the example and keeps what Python read.",
    (
        "make_fx",
        REFUSED,
    ): "It runs the function on the example: an error, or a branch on a tensor's value, ends it.",
    ("make_fx", RIGHT): "Every operator that ran is in its graph.",
    ("symbolic_trace", REFUSED): "Its stand-in for x has no value, no length and no items to set.",
    (
        "symbolic_trace",
        RIGHT,
    ): "It looks at no example. Even the size is read anew at each call: `x.shape[0]` is in its graph.",
    (
        "symbolic_trace",
        WRONG,
    ): "It runs the function on a stand-in, which is no tensor, and keeps the branch for that.",
    (
        "export",
        STOPS,
    ): "By default it takes the example's sizes for the only ones, and checks them.",
    ("export", REFUSED): "It wants the whole function in one graph, or gives an error.",
    (
        "export",
        RIGHT,
    ): "The sizes are those of the example, and the whole function is in one graph.",
    ("dynamo", RIGHT): "Its guards send another input to a new capture, and Python does the rest.",
    (
        "dynamo",
        REFUSED,
    ): "It captures when it is called: without a call with the example nothing has been captured.",
    ("jit_trace", REFUSED): "It runs the function on the example, and an error there ends it.",
    ("jit_trace", WRONG): "It keeps what ran on the example and checks nothing later.",
    ("jit_trace", RIGHT): "Every operator that ran is in its recording, a size that was read too.",
}
CALLS = {
    "make_fx": "make_fx", "symbolic_trace": "torch.fx.symbolic_trace", "export": "torch.export.export",
    "dynamo": "torch.compile", "jit_trace": "torch.jit.trace",
}  # fmt: skip
SILENT = {"make_fx", "jit_trace"}


def eager(source, x, y):
    return torch.tensor(OUTCOMES[source.splitlines()[0]])


def reference(source, x, y):
    return eager(source, x, y)


def work(source, x, y):
    return Work(bytes=x.nbytes + y.nbytes + 40, flops=1)


def explain_wrong(got, source, x, y):
    """Name the first capture whose outcome is another one, and why."""
    for way, mine, right in zip(WAYS, got.tolist(), eager(source, x, y).tolist(), strict=True):
        if mine != right:
            said = SAID[mine] if 0 <= mine < 4 else str(mine)
            return f"For {way} you say {said}; it is {SAID[right]}. {WHY[way, right]}"
    return None


def check_module(constants):
    """Return one sentence where the prediction is wrong, else None."""
    named = {
        each.strip().removeprefix("by_") for each in str(constants.get("SILENT", "")).split(",")
    } - {""}
    if unknown := sorted(named - set(WAYS)):
        return f"SILENT names {unknown[0]!r}. The captures are {', '.join(WAYS)}."
    for way in sorted(named - SILENT):
        outcome = OUTCOMES["def over_len(x):"][WAYS.index(way)]
        said = SAID[outcome]
        return f"SILENT names {way}, and for over_len its outcome is {said}. {WHY[way, outcome]}"
    if named != SILENT:
        return (
            f"SILENT is {constants.get('SILENT')!r}, and leaves a capture out: one that gets a plain "
            "number from `len(x)`, keeps it, and checks nothing when it is called later."
        )
    return None


def check_found(found):
    """(code, sentence) where a survey captures less than it tells of, else None."""
    for way in WAYS:
        if way not in found["seen"]:
            return "wrong-values", (
                f"A survey called {CALLS[way]} not once. What it says of {way} comes from no capture."
            )
    for backend in found["backends"]:
        if not backend.startswith("eager"):
            return "wrong-values", (
                f"torch.compile was given the backend {backend}, which compiles the graph. One that "
                "runs it as captured is asked for: eager."
            )
    if found["calls_of_compiled"] == 1:
        return "wrong-values", (
            "A survey called what torch.compile gave once, on the example. How it ends with y is said "
            "without a call with y."
        )
    return None


def function(name, *lines):
    return "\n".join([f"def {name}(x):", *(f"    {line}" for line in lines)]) + "\n"


def case(what, source, rows):
    """A case with an example of three positive rows, and a view of so many negative ones."""

    def make(g):
        number = int(torch.randint(3, 90, (1,), generator=g, device=g.device))
        x = 1 + torch.rand(3, 2, generator=g, device=g.device)
        y = (-1 - torch.rand(4, rows, generator=g, device=g.device))[::2].T
        return source.replace("K", str(number)), x, y

    return Case(what, make)


CASES = (
    case("straight", function("straight", "return torch.relu(x) * 2 + x + K"), 3),
    case("straight, another size", function("straight_elsewhere", "return x.sigmoid() * K"), 2),
    case("a branch on the data", function(
        "by_data", "if x.sum() > 0:", "    return x * 2", "return x + K"), 3),
    case("a branch on a size", function(
        "by_size", "if x.shape[0] > 2:", "    return x * 2", "return x * 2.01 + 0 * K"), 2),
    case("a loop over the rows", function(
        "over_rows", "for row in range(x.shape[0]):", "    x = x + row * K", "return x"), 2),
    case("divided by its length", function("over_len", "return x * K / len(x)"), 2),
    case("divided by the rows", function("per_row", "return x * K / x.shape[0]"), 2),
    case("torch.where", function("where", "return torch.where(x.sum() > 0, x * 2, x + K)"), 3),
    case("an entry is set", function(
        "one_entry", "out = x.clone()", "out[0] = K", "return out"), 3),
    case("through NumPy", function(
        "through_numpy", "return torch.from_numpy(x.numpy() * K)"), 3),
    # The outputs of the two differ in their shape alone, and in their last rows alone.
    case("a row for each row", function(
        "a_row_each", "return (x * 0).sum() + torch.full((len(x), 1), K)"), 1),
    case("rolled by its length", function(
        "rolled", "return torch.cat([x[:1], torch.roll(x[1:], len(x) - 1, 0)]) * K"), 5),
    # These two differ in their dtype alone, and one capture is wrong wherever it is made.
    case("another dtype for another size", function(
        "doubled", "if len(x) > 2:", "    x = x.double()", "return x * K"), 2),
    case("asked whether it is a tensor", function(
        "of_a_tensor", "if isinstance(x, torch.Tensor):", "    return x * 2", "return x + K"), 3),
    case("not for the example", function(
        "two_rows_only", "torch._assert(x.shape[0] < 3, 'two rows only')", "return x * K"), 2),
)  # fmt: skip
