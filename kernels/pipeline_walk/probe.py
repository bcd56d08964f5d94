"""Looks at the learner's objects, in the learner's process. Plain values only leave it."""

import importlib.util
import itertools
import os

import torch
from torch._inductor.codecache import PyCodeCache
from torch.overrides import TorchFunctionMode


def probe(module, device):
    x = torch.linspace(-2, 2, 8 * 64, device=device).reshape(8, 64)
    torch._dynamo.reset()
    module.captured.clear()
    module.lowered.clear()
    module.walk(x)
    found = {"graphs": len(module.captured)}
    if len(module.captured) != 1:
        return found
    graph = module.captured[0]
    found["kind"] = (
        "GraphModule" if isinstance(graph, torch.fx.GraphModule) else type(graph).__name__
    )
    if found["kind"] != "GraphModule":
        return found
    found["torch_ops"] = [_name(target) for target in _calls(graph)]
    found["again"] = len(module.lowered) - len({id(g) for g in module.lowered})
    aten = [target for g in module.lowered for target in _calls(g)]
    found["aten"] = [t._schema.name.removeprefix("aten::") for t in aten if _is_aten(t)]
    found["foreign"] = [_name(target) for target in aten if not _is_aten(target)]
    found["by_hand"] = not all(map(_by_aot_autograd, module.lowered))
    stages = found["torch_ops"] == ["linear", "relu", "mul"] and not found["foreign"]
    if not stages or not {"addmm", "relu", "mul"} <= set(found["aten"]):
        return found
    found["ran"], found["late"] = _functions_run(module, x)
    found["walk"] = _what_walk_returns(module, x)
    # From torch 2.14 on a tensor that was given to a call with `dynamic=True` has symbolic sizes in
    # later compilations too, and then a file for the backward pass is written last.
    path, texts = _generated(module, x.clone())
    found["path"] = str(path)[-120:]
    found["exists"] = isinstance(path, str | os.PathLike) and os.path.isfile(path)
    folder = os.path.realpath(torch._inductor.codecache.cache_dir())
    found["below"] = found["exists"] and os.path.realpath(path).startswith(folder + os.sep)
    found["loaded"] = found["exists"] and _text(path) in texts
    call = _call_of(path) if found["exists"] else None
    found["is_module"] = call is not None
    if call is not None:
        found["same"] = _gives_the_output(call, module.model, x)
    return found


def _generated(module, x):
    """What `generated` returns, and the texts of the files that Inductor has loaded. Its list of modules
    forgets those of a compilation without caches, so what it loads is watched too."""
    texts, load = set(), PyCodeCache.load_by_key_path

    def watch(key, path, *args, **kwargs):
        texts.add(_text(path))
        return load(key, path, *args, **kwargs)

    with torch.no_grad():  # another program, so that this one's file lies among others
        torch.compile(lambda y: y @ y.T, dynamic=False)(torch.ones(2, 3))
    torch._dynamo.reset()
    PyCodeCache.load_by_key_path = watch
    try:
        path = module.generated(x)
    finally:
        PyCodeCache.load_by_key_path = load
    known = (str(each.__file__) for each in PyCodeCache.modules)
    return path, texts | {_text(each) for each in known if os.path.isfile(each)}


def _text(path):
    with open(path, "rb") as file:
        return file.read()


class Functions(TorchFunctionMode):
    """Notes what is called by the names of PyTorch's functions, above ATen."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if not isinstance(func, torch._ops.OpOverload):
            self.names.append(_name(func))
        return func(*args, **(kwargs or {}))


def _functions_run(module, x):
    """Which of the model's own functions are called while the backend's callable runs, and whether
    `lowered` had gained nothing when the backend returned."""
    seen, late = Functions(), []

    def backend(graph, inputs):
        known = len(module.lowered)
        run = module.backend(graph, inputs)
        late.append(len(module.lowered) == known)

        def watched(*args):
            with seen:
                return run(*args)

        return watched

    torch._dynamo.reset()
    torch.compile(module.model, backend=backend)(x)
    return sorted({"linear", "relu"} & set(seen.names)), any(late)


def _what_walk_returns(module, x):
    """Whose numbers `walk` returns once the weights of `model` are doubled and, where it compiles
    with the `backend` of the file, what the backend's callable returns is larger by 1."""
    ran, given = [], module.backend

    def larger(graph, inputs):
        run = given(graph, inputs)

        def by_one(*args):
            ran.append(True)
            return [each + 1 for each in run(*args)]

        return by_one

    weight = module.model.project.weight
    torch._dynamo.reset()
    module.backend = larger
    with torch.no_grad():
        weight.mul_(2)
    try:
        got = module.walk(x).detach()
        plain = module.model(x).detach()
    finally:
        module.backend = given
        with torch.no_grad():
            weight.div_(2)
        torch._dynamo.reset()
    if torch.allclose(got, plain + 1 if ran else plain, atol=1e-5):
        return "compiled"
    return "eager" if torch.allclose(got, plain, atol=1e-5) else "other"


def _calls(graph):
    """Return what the call nodes of a graph call; a text for a method or a module."""
    return [
        f"the module {n.target}" if n.op == "call_module" else n.target
        for n in graph.graph.nodes
        if n.op.startswith("call_")
    ]


def _name(target):
    return str(getattr(target, "__name__", target))


def _is_aten(target):
    return isinstance(target, torch._ops.OpOverload) and target.namespace == "aten"


def _by_aot_autograd(graph):
    """Tell if AOTAutograd traced the graph: it notes of inputs what they stand for."""
    return any("desc" in n.meta for n in graph.graph.nodes if n.op == "placeholder")


def _call_of(path):
    """The `call` of the module in a file; None where it is no module, or has none."""
    try:
        spec = importlib.util.spec_from_file_location("written_by_inductor", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception:
        return None
    call = getattr(module, "call", None)
    return call if callable(call) else None


def _gives_the_output(call, model, x):
    """Tell if `call`, given weight, bias and x in the order it wants them, returns model(x) first."""
    want = model(x).detach()
    tensors = (model.project.weight.detach(), model.project.bias.detach(), x)
    for arguments in itertools.permutations(tensors):
        try:
            out = call(list(arguments))
        except Exception:  # another order: the generated code asserts each shape
            continue
        first = out[0] if isinstance(out, tuple | list) else out
        if first.shape == want.shape and torch.allclose(first, want, rtol=1e-4, atol=1e-4):
            return True
    return False
