import torch

from tutor.judge.spec import Case, Work

OPS = {
    "methods": [["exp", "clamp", "exp", "mul_", "tanh", "tanh", "sub"]],
    "breaks": [["sin"], ["cos", "add"]],
    "sizes": [["mul"], ["mul"]],
    "integers": [["getitem"]],
}
RUNS = {"methods": [2], "breaks": [3, 3], "sizes": [1, 2], "integers": [1]}
INPUTS = {
    "methods": [["f32[3, 4]"]],
    "breaks": [["f32[2, 3]"], ["f32[2, 3]"]],
    "integers": [["f32[9]", "i64[5]"]],
}
PLAIN = ("int", "float", "str", "bool", "NoneType", "list", "tuple", "dict")
WHAT = {
    "methods": "x.exp().clamp(min=2).exp().mul_(3) - torch.tanh(torch.tanh(x)), called twice",
    "breaks": "a function with a graph break, called three times",
    "sizes": "x * x.shape[0], called with 5, 6 and 7 rows",
    "integers": "x[i] with integers i",
}


def eager(x):
    w = torch.linspace(-1, 1, 256).sin().reshape(16, 16).to(x)
    return (x @ w).relu() * 0.5 + x


def reference(x):
    return eager(x)


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size() + 1024, flops=35 * x.numel())


def scale(x):
    return x.abs().sum(-1, keepdim=True) + x.abs()


def check_found(found):
    """(code, sentence) for the first record that is not what was asked for, else None."""
    if not found["watched"]:
        return "wrong-graph", (
            "`watch` was called, and `log` has no record: it has to compile `model` with your backend."
        )
    for name, ops in OPS.items():
        log, what = found[name], WHAT[name]
        if len(log) != len(ops):
            return "wrong-graph", (
                f"Of {what}, the length of `log` is {len(log)}, and should be {len(ops)}: each graph "
                "that Dynamo makes gets a record when the backend is called."
            )
        for record, want, runs in zip(log, ops, RUNS[name], strict=True):
            wrong = _wrong_record(record, want, runs)
            if wrong:
                return "wrong-values", f"Of {what}, {wrong}"
        if name in INPUTS and [record["inputs"] for record in log] != INPUTS[name]:
            got = [record["inputs"] for record in log]
            return "wrong-values", f"Of {what}, `inputs` is {got}; expected is {INPUTS[name]}."
    return (
        _wrong_sizes(found["sizes"])
        or _wrong_training(found["training"])
        or _wrong_hand_over(found["handed"])
        or _wrong_run(found)
        or _wrong_watch(found["watch"])
    )


def _wrong_record(record, want, runs):
    if "type" in record:
        return f"a record is a {record['type']}; it must be a dictionary."
    for key, kind in record["more"].items():
        if kind not in PLAIN:
            return f"a record keeps a {kind} under {key!r}; it is to hold plain values."
    if record["ops"] != want:
        return f"`ops` is {record['ops']}; the graph calls {want}, in this order."
    if record["runs"] != runs:
        times = f"{runs} time{'s' * (runs != 1)}"
        return f"`runs` is {record['runs']} for the graph {want}, which was run {times}."
    return None


def _wrong_sizes(log):
    first, second = (record["inputs"] for record in log)
    if first != ["f32[5, 4]"]:
        return "wrong-values", f"`inputs` is {first} for 5 rows; expected is ['f32[5, 4]']."
    shapes = [each for each in second or () if str(each).startswith("f32[")]
    if len(second or ()) != 2 or "symbol" not in second or len(shapes) != 1:
        return "wrong-values", (
            f"`inputs` is {second} once the number of rows is symbolic. Expected are the text symbol "
            "for the size, and the tensor, in the graph's order."
        )
    return None


def _wrong_training(found):
    if not found["grad"]:
        return (
            "wrong-values",
            "The gradient of a training step is missing or wrong by way of your backend.",
        )
    return None


def _wrong_hand_over(records):
    """Say what is wrong with the log before the compiled graph runs; None if nothing is."""
    if len(records) != 1:
        return "wrong-graph", (
            f"When `backend` returns, `log` has {len(records)} more records. Expected is 1: the record "
            "is there while the graph is compiled, before it runs."
        )
    if records[0].get("runs") != 0:
        return "wrong-values", (
            f"When `backend` returns, `runs` is {records[0].get('runs')!r}. The graph has not run yet."
        )
    return None


def _wrong_run(found):
    if not found["written"]:
        return "wrong-graph", (
            "Of x.mul_(2) the argument is unchanged after the call: the graph ran on a copy of its "
            "inputs."
        )
    if found["ran"] != found["as_is"]:
        return "wrong-graph", (
            f"For (F.silu(x) * 2 - x.exp()).T the graph as it is runs {', '.join(found['as_is'])}. What "
            f"`backend` returned ran {', '.join(found['ran']) or 'none of PyTorch’s operators'}."
        )
    if not found["called"]:
        return "wrong-graph", (
            "What `backend` returned calls none of the graph's functions when it runs: it runs what a "
            "compiler has made of the graph."
        )
    if any(compiling for _, compiling in found["called"]):
        return "wrong-graph", (
            "What `backend` returned has the graph compiled once more, and runs what the other compiler "
            "makes of it."
        )
    return None


def _wrong_watch(answer):
    if answer == "cleared":
        return "wrong-values", (
            "`log` had a record before `watch` was called, and has it no longer. Records are appended."
        )
    if answer == "eager":
        return "wrong-values", (
            "With 1 added to whatever the backend's callable returns, `watch` returned what it returned "
            "before: its result does not come from the compiled model."
        )
    if answer != "compiled":
        return "wrong-values", (
            "With the weights of `model` doubled, `watch` does not return the output of `model`: it is "
            "another model that it compiles."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


CASES = (
    Case("8 rows", one(8, 16)),
    Case("8 other rows", one(8, 16)),
    Case("another row count", one(13, 16)),
    Case("one row", one(1, 16)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 7, 16),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 5, 16),)),
    Case("transposed view", lambda g: (normal(g, 16, 20).T,)),
    Case("every second column", lambda g: (normal(g, 9, 32)[:, ::2],)),
)
