import torch

from tutor.judge.spec import Case, Work

ROWS, COLUMNS = 32, 64


def parameters(x):
    weight = torch.linspace(-1, 1, ROWS * COLUMNS).sin().reshape(ROWS, COLUMNS)
    return weight.to(x), torch.linspace(-0.5, 0.5, ROWS).to(x)


def eager(x):
    return torch.relu(torch.nn.functional.linear(x, *parameters(x))) * 0.5


def reference(x):
    return eager(x)


def work(x):
    weights = (ROWS * COLUMNS + ROWS) * x.element_size()
    moved = x.numel() * x.element_size() + weights + x.shape[0] * ROWS * x.element_size()
    return Work(bytes=moved, flops=2 * x.shape[0] * ROWS * COLUMNS + 2 * x.shape[0] * ROWS)


def scale(x):
    # A sum of 64 products and the bias: rounding grows with the sum of their magnitudes.
    weight, bias = parameters(x)
    return x.abs() @ weight.abs().T + bias.abs()


def check_found(found):
    """(code, sentence) for the first object that is not what was asked for, else None.

    `found` comes from probe.py, stage by stage; a stage that is wrong leaves the later ones out.
    """
    if found["graphs"] != 1:
        return "wrong-graph", (
            f"A call of `walk` left {found['graphs']} graphs in `captured`; Dynamo finds one in this "
            "model, and the backend is to append it."
        )
    if found["kind"] != "GraphModule":
        return "wrong-graph", f"`captured` holds a {found['kind']}, not the GraphModule of Dynamo."
    if found["torch_ops"] != ["linear", "relu", "mul"]:
        return "wrong-graph", (
            f"The graph in `captured` calls {', '.join(found['torch_ops']) or 'nothing'}; Dynamo's "
            "graph of this model calls linear, relu and mul."
        )
    if found["foreign"]:
        return "wrong-graph", (
            f"The graph in `lowered` calls {found['foreign'][0]}, which is no ATen operator: it is not "
            "the graph that AOTAutograd makes."
        )
    if not found["aten"]:
        return "wrong-graph", "After `walk` no graph in `lowered` calls an ATen operator."
    if not {"addmm", "relu", "mul"} <= set(found["aten"]):
        return (
            "wrong-graph",
            f"The graph in `lowered` holds {', '.join(found['aten'])}: another model.",
        )
    if found["by_hand"]:
        return "wrong-graph", (
            "The graph in `lowered` holds ATen operators, and AOTAutograd has not made it: what it "
            "notes of inputs is missing. Its graph is what `fw_compiler` is called with."
        )
    if found["again"]:
        return "wrong-graph", (
            "One graph stands in `lowered` more than once after a single call of `walk`; it is to be "
            "appended once."
        )
    if found["ran"]:
        return "wrong-graph", (
            f"What `backend` returned calls {' and '.join(found['ran'])} of PyTorch when it runs, as "
            "Dynamo's graph does. It has to run the ATen graph that is in `lowered`."
        )
    if found["late"]:
        return "wrong-graph", (
            "When `backend` returned, `lowered` was as long as before: the backend appends the graph, "
            "and not what it returns, when that runs."
        )
    if found["walk"] == "eager":
        return "wrong-values", (
            "With 1 added to whatever the backend's callable returns, `walk` returned what it returned "
            "before: its numbers do not come from the compiled model."
        )
    if found["walk"] != "compiled":
        return "wrong-values", (
            "With the weights of `model` doubled, `walk` does not return the output of `model`: it is "
            "another model that it compiles."
        )
    if not found["exists"]:
        return (
            "wrong-values",
            f"`generated(x)` returned {found['path']}, and there is no such file.",
        )
    if not found["is_module"]:
        return "wrong-values", (
            f"`generated(x)` returned {found['path']}, which has no function `call`: Inductor's module "
            "is the one Python file that has one."
        )
    if not found["below"]:
        return "wrong-values", (
            f"`generated(x)` returned {found['path']}, which has a `call`, and does not lie below "
            "`cache_dir()`: Inductor has not written it."
        )
    if not found["loaded"]:
        return "wrong-values", (
            f"`generated(x)` returned {found['path']}, which has a `call` and is none of the files that "
            "Inductor has loaded in this run. What it finds in its cache it loads and does not write "
            "again, so the right file need not be the newest."
        )
    if not found["same"]:
        return "wrong-values", (
            f"{found['path']} has a `call`, but with this model's weights, bias and input it does not "
            "give the model's output: it was written for something else."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


CASES = (
    Case("8 rows", one(8, COLUMNS)),
    Case("8 other rows", one(8, COLUMNS)),
    Case("another row count", one(13, COLUMNS)),
    Case("one row", one(1, COLUMNS)),
    Case("starting at element 3", lambda g: (normal(g, 3 + 6 * COLUMNS)[3:].view(6, COLUMNS),)),
    Case("transposed view", lambda g: (normal(g, COLUMNS, 20).T,)),
    Case("every second column", lambda g: (normal(g, 9, 2 * COLUMNS)[:, ::2],)),
)
