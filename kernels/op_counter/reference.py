import runpy
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tutor.judge.spec import Case, Work

PROGRAMS = runpy.run_path(str(Path(__file__).with_name("probe.py")))["PROGRAMS"]
NAMES = (
    "aten.t.default aten.linear.default aten.addmm.default aten.mm.default "
    "aten.bmm.default aten.matmul.default aten.add.Tensor aten.add.Scalar "
    "aten.mul.Tensor aten.mul.Scalar aten.div.Tensor aten.div.Scalar aten.relu.default "
    "aten.threshold_backward.default aten.sum.default aten.sum.dim_IntList "
    "aten.mean.default aten._to_copy.default aten.to.dtype aten.clone.default "
    "aten.view.default aten.reshape.default aten.transpose.int aten.permute.default "
    "aten.expand.default aten.detach.default aten.ones_like.default "
    "aten.native_layer_norm.default aten.native_layer_norm_backward.default "
    "aten._softmax.default aten._log_softmax.default aten.nll_loss_forward.default "
    "aten.slice.Tensor aten.cat.default aten.sigmoid.default "
    "aten.sigmoid_backward.default aten.add_.Tensor aten.mul_.Tensor aten.exp.default "
    "prims.sin.default"
)


class Ear(TorchDispatchMode):
    """Hands each operator's name to a function; of a composite one, those of its pieces."""

    def __init__(self, note):
        super().__init__()
        self.note = note

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        with self:
            out = func.decompose(*args, **(kwargs or {}))
        if out is not NotImplemented:
            return out
        space, _, name = func._schema.name.partition("::")
        self.note(f"{space}.{name}.{func._schema.overload_name or 'default'}")
        return func(*args, **(kwargs or {}))


def passes(program):
    """The names that arrive in the forward pass and in the backward pass of a program, in order."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec(program, names)
    forward, backward = [], []
    with Ear(forward.append):
        loss = names["step"]()
    with Ear(backward.append):
        loss.backward()
    return forward, backward


def reference(program, names):
    forward, backward = passes(program)
    return torch.tensor([[forward.count(n), backward.count(n)] for n in names.split()])


eager = reference


def work(program, names):
    return Work(bytes=len(program) + len(names), flops=0)


def explain_wrong(got, program, names):
    """Return one sentence on the counts: what all of them are, else the first that is wrong."""
    want = reference(program, names)
    ahead, back = want.T
    if not got.any():
        return (
            "Every count is 0. A name of the task is a text, such as 'aten.add.Tensor'."
        )
    if torch.equal(got[:, 0], ahead) and not got[:, 1].any():
        return "The forward pass is right, and every count of the backward pass is 0."
    for column in (0, 1) if ahead.any() and back.any() else ():  # else the sum is one of them
        if torch.equal(got[:, column], ahead + back):
            return f"Column {column} holds the counts of both passes, added up."
    if torch.equal(got, want.clamp(max=1)):
        return "A name that arrives several times in a pass is counted once."
    composite = [
        mine
        for mine, right, name in zip(got, want, names.split(), strict=True)
        if name == "aten.linear.default" and not right.any()
    ]
    if any(mine.any() for mine in composite):
        return (
            "`linear` is counted, and it is composite. With gradients on it does not arrive below "
            "autograd. Under `inference_mode` it arrives whole, and its pieces are to be noted."
        )
    return first_wrong_count(got, want, names.split())


def first_wrong_count(got, want, names):
    row, column = (got != want).nonzero()[0].tolist()
    right, mine = int(want[row, column]), int(got[row, column])
    times = "once" if right == 1 else f"{right} times"
    way = ("forwards", "backwards")[column]
    arrives = f"never arrives {way}" if not right else f"arrives {times} {way}"
    return f"`{names[row]}` {arrives}, and you counted {mine}."


def check_found(found):
    """(code, sentence) for the first list of `OpCounter.calls` that is not exact, else None."""
    if not found["is_class"]:
        return "wrong-values", "The file defines no class `OpCounter`."
    if not found["has_calls"]:
        return "wrong-values", "An `OpCounter` that has heard nothing yet has no list `calls`."
    for name, text in PROGRAMS.items():
        want = passes(text)[0]
        got, later = found["heard"][name]
        if got != want:
            return "wrong-values", f"On {name}, {first_difference(got, want)}"
        if later != len(want):
            return "wrong-values", (
                f"On {name}, `calls` went on growing after the `with` block had ended: "
                f"{later} names in place of {len(want)}."
            )
    if found["twice"] != ["aten.add.Tensor", "aten.mul.Tensor"]:
        return "wrong-values", (
            "One counter listened to `x.add(1)`, and in a second `with` block to `x.mul(2)`. "
            f"Its `calls` are {found['twice']}."
        )
    return None


def first_difference(got, want):
    """Return one sentence on the first place where two lists of names differ."""
    for at, (mine, right) in enumerate(zip(got, want, strict=False)):
        if mine != right:
            return f"`calls[{at}]` is {mine!r}, and the operator that arrives there is {right!r}."
    if len(got) < len(want):
        return f"`calls` ends after {len(got)} names; {want[len(got)]!r} arrives next."
    return f"`calls` has {len(got)} names; {len(want)} operators arrive, the last is {want[-1]!r}."


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def listed(body, setup="", asked=NAMES):
    """A case of one program; R and C in it become sizes that nobody knows before."""

    def make(g):
        lines = ["x = torch.ones(R, C, requires_grad=True)", *setup.splitlines(), "def step():"]
        lines += [f"    {line}" for line in body.splitlines()]
        text = "\n".join(lines)
        return text.replace("R", str(draw(g, 2, 9))).replace("C", str(draw(g, 2, 9))), asked

    return make


def by_dice(length):
    """A chain of small operators, each chosen by dice."""
    choices = (
        "y * 2", "y + x", "y.exp()", "y.sigmoid()", "y.relu()", "y.T.T", "y / 3", "y.clone()",
        "(y @ x.T) @ x", "y.reshape(-1).view(y.shape)", "torch.cat([y, y])[: len(x)]",
    )  # fmt: skip

    def make(g):
        lines = ["y = x"] + [f"y = {choices[draw(g, 0, len(choices))]}" for _ in range(length)]
        return listed("\n".join([*lines, "return y.sum()"]))(g)

    return make


LAYERS = "a = torch.nn.Linear(C, 5)\nb = torch.nn.Linear(5, 2)"

CASES = (
    Case("a product and a sum", listed("return (x * 2).sum()")),
    Case("a linear layer", listed("return a(x).sum()", LAYERS)),
    Case("two layers with relu between", listed("return b(a(x).relu()).mean()", LAYERS)),
    Case("a mean squared error", listed("return F.mse_loss(b(a(x)), torch.zeros(R, 2))", LAYERS)),
    Case("cross-entropy", listed(
        "return F.cross_entropy(a(x), torch.zeros(R, dtype=torch.int64))", LAYERS)),
    Case("layer norm", listed("return (F.layer_norm(x, (C,)) * x).sum()")),
    Case("softmax of a product", listed("return torch.softmax(x @ x.T, -1).sum()")),
    Case("the same operator in a loop", listed(
        "y = x\nfor _ in range(R):\n    y = y + x\nreturn y.sum()")),
    Case("a conversion to float64", listed("return (x.to(torch.float64) * x.double()).sum()")),
    Case("a conversion that changes nothing", listed("return x.to(torch.float32).float().sum()")),
    Case("views only", listed("return x.T.reshape(-1)[1:].view(1, -1).sum()")),
    Case("in place on a copy", listed("y = x.clone()\ny.mul_(2).add_(1)\nreturn y.sum()")),
    Case("a sum with a keyword", listed(
        "return x.sum(dim=1, keepdim=True).exp().sum(dtype=torch.float64)")),
    Case("operators without gradients", listed(
        "with torch.no_grad():\n    w = (x * 3).relu()\nreturn (x * w).sum()")),
    Case("a layer under inference_mode", listed(
        "with torch.inference_mode():\n    s = b(a(x).relu()).sum().item()\nreturn (a(x) * s).sum()",
        LAYERS)),
    Case("functions under inference_mode", listed(
        "with torch.inference_mode():\n    y = torch.matmul(x, x.t()).flatten()\n"
        "    s = y.chunk(2)[0].mean().item()\n"
        "return (x * s).sum()")),
    Case("a keyword under inference_mode", listed(
        "with torch.inference_mode():\n"
        "    s = torch.softmax(x, dim=1, dtype=torch.float64).max().item()\n"
        "return (x * s).sum()")),
    Case("three names in another order", listed(
        "return (x * 2 + x).sum()", asked="aten.sum.default aten.add.Tensor aten.mul.Tensor")),
    Case("a step that does more each time", listed(
        "times.append(1)\ny = x\nfor _ in times:\n    y = y * 2\nreturn y.sum()", "times = []")),
    Case("a batch of products", listed("y = x.expand(4, R, C)\nreturn torch.bmm(y, y.mT).sum()")),
    Case("a program that remembers its runs", listed(
        "seen.append(1)\ny = x\nfor _ in seen:\n    y = y.exp()\nreturn y.sum()", "seen = []")),
    Case("an operator of another namespace", listed(
        "with torch.no_grad():\n    w = torch.ops.prims.sin(x)\nreturn (x * w).sum()")),
    Case("a thousand operators", listed("y = x\nfor _ in range(1100):\n    y = y + x\nreturn y.sum()")),
    Case("ten by dice", by_dice(10)),
    Case("thirty by dice", by_dice(30)),
)  # fmt: skip
