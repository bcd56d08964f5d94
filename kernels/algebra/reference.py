import torch

from tutor.judge.cases.fx_effects import draws, is_call, target_name, touched, writes
from tutor.judge.cases.fx_graphs import WEIGHTS, draw, fault, graph_of, module, net, shown
from tutor.judge.spec import Case, Work

WHY = {  # of probe.py's graphs: what each is about
    "times one": "x * 1 and x * 1.0 are x.",
    "one on the left": "A product may have its number first.",
    "over, to the power, minus": "Over 1, to the power of 1, minus 0.",
    "functions and methods": "torch.mul and the method are products too.",
    "minus minus": "Both signs go.",
    "the inner value is read": "The inner value has another user and stays.",
    "three times": "Two of the three signs go.",
    "abs of abs": "One abs and one relu are enough.",
    "plus zero": "For x = -0.0 the sum is +0.0.",
    "number minus": "0 - x is not x, nor is 1 / x.",
    "minus a negative zero": "x - -0.0 is x + 0.0, and for x = -0.0 that is +0.0.",
    "times zero": "Infinity times 0 is NaN.",
    "minus itself": "Infinity minus infinity is NaN.",
    "written afterwards": "The product is a tensor of its own, and x must stay as it is.",
    "x is written afterwards": "The product has the numbers from before the write.",
    "returned": "The caller gets a tensor that does not share memory with x.",
    "returned twice": "The caller gets two tensors, and may write to one of them.",
    "a weight times one": "The caller gets a tensor, and must not get the weight.",
    "a product that is returned": "What the output reads stays.",
    "a keyword": "With `rounding_mode` the quotient is rounded.",
    "whole numbers": "For whole numbers x + 0 is x.",
    "whole numbers times 1.0": "The product is a float32 tensor.",
    "whole numbers over 1": "The quotient is a float32 tensor.",
}


def reference(x, source):
    return module(source).to(x.dtype)(x.clone())


eager = reference


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


COUNTED = ("call_function", "call_method", "call_module")


def left(text, whole):
    """Count the calls that must stay; what was dead before may stay."""
    graph = graph_of(text)
    bad, stands = touched(graph), {}
    floats = {node for node in graph.nodes if not whole or "get_attr" in node.op}
    for node in graph.nodes:
        if not whole or any(each in floats for each in node.all_input_nodes):
            floats.add(node)
        if whole and (target_name(node) in ("truediv", "sin") or 1.0 in map(kept_float, node.args)):
            floats.add(node)
        other = equal(node, stands, node in floats)
        safe = other is not None and not bad.intersection((node, other))
        safe = safe and (node in floats) == (other in floats)
        returned = any(user.op == "output" for user in node.users)
        stands[node] = other if safe and not returned else node
    roots = [n for n in graph.nodes if not n.users or writes(n) or draws(n) or n.op == "output"]
    found = {stands[node] for node in roots}
    roots = list(found)
    while roots:
        new = {stands[each] for each in roots.pop().all_input_nodes} - found
        found |= new
        roots += new
    return sum(is_call(node) for node in found)


def kept_float(value):
    return value if isinstance(value, float) else None


def equal(node, stands, floating):
    """The node that has the same numbers, or None."""
    if not is_call(node) or node.kwargs:
        return None
    name, args = target_name(node), list(node.args)
    if name in ("mul", "add") and not isinstance(args[0], torch.fx.Node):
        args.reverse()
    if not isinstance(args[0], torch.fx.Node):
        return None
    x = stands[args[0]]
    if name in ("neg", "abs", "relu"):
        if not is_call(x) or target_name(x) != name or x.kwargs:
            return None
        return stands[x.args[0]] if name == "neg" else x
    if len(args) < 2 or isinstance(args[1], torch.fx.Node):
        return None
    if name in ("mul", "truediv", "div", "pow") and args[1] == 1:
        return x
    zero = args[1] == 0 and str(args[1])[0] != "-"
    return x if zero and (name == "sub" or (name == "add" and not floating)) else None


def check_found(found):
    """(code, sentence) for the first graph that is wrong or too long, else None."""
    for name, (text, whole, got) in found.items():
        what = shown(text) if name.startswith("drawn") else f"“{name}”"
        why = WHY.get(name, "")
        if name.startswith("written through"):
            why = "The view shares the memory of the product, which must not be that of x."
        if wrong := fault(got, "simplify", what):
            return wrong[0], f"{wrong[1]} {why}".strip()
        most = left(text, whole)
        have = sum(kind in COUNTED for kind, _, _ in got["nodes"])
        if have > most:
            return "wrong-graph", f"{what}: {have} calls are left, {most} would do. {why}".strip()
    return None


def case(what, forward):
    def make(g):
        text = net(forward.replace("K", str(draw(g, 2, 9))), WEIGHTS)
        x = torch.randn(3, 3, generator=g, device=g.device)
        return (x.t() if what.startswith("transposed") else x), text

    return Case(what, make)


CASES = (
    case('times one', 'return (x * 1).sin() + K'),
    case('one on the left', 'return (1 * x).sin() * K'),
    case('over, to the power, minus', 'return (((x / 1) ** 1) - 0).sin() - K'),
    case('minus minus', 'return (-(-x)).sin() * K'),
    case('a number that is not one', 'return (x * K - 1).sin()'),
    case('written afterwards', 'y = x * 1\ny.add_(K)\nreturn y * x'),
    case('transposed view', 'return (x * 1 - 0) @ self.w * K'),
)  # fmt: skip
