import torch

from tutor.judge.cases.fx_effects import draws, find_touched, is_call, target_name, writes
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case, graph_of
from tutor.judge.spec import Rewrite

REWRITE = Rewrite(unit="calls", shapes=True)
INF, NAN = float("inf"), float("nan")
SPECIAL = torch.tensor([[-0.0, NAN, INF], [0.0, 1.0, -1.5], [1e-40, -7.0, -INF]])
WHOLE_NUMBERS = torch.arange(9).reshape(3, 3)


def most(program, x):
    """Count the calls that may stay: those that must, and what was dead before."""
    return count(program, x, dead=True)


def least(program, x):
    """Count the calls that must stay."""
    return count(program, x, dead=False)


def count(program, x, *, dead):
    graph, whole = graph_of(program), not x.is_floating_point()
    bad, stands = find_touched(graph), {}
    floats = {node for node in graph.nodes if not whole or "get_attr" in node.op}
    for node in graph.nodes:
        if not whole or any(each in floats for each in node.all_input_nodes):
            floats.add(node)
        if whole and (target_name(node) in ("truediv", "sin") or 1.0 in map(kept_float, node.args)):
            floats.add(node)
        other = equal(node, stands, node in floats)
        safe = other is not None and not bad.intersection(
            (node, stands[node.all_input_nodes[0]], other)
        )
        safe = safe and (node in floats) == (other in floats)
        returned = any(user.op == "output" for user in node.users)
        stands[node] = other if safe and not returned else node
    roots = [n for n in graph.nodes if writes(n) or draws(n) or n.op == "output"]
    roots += [n for n in graph.nodes if dead and not n.users]
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


def with_ones(text, number):
    """The text with calls that change nothing, and some that do."""
    more = ("* 1", "- 0", "+ 0", "/ 1")[number % 4]
    return text.replace(".sin()", f".sin() {more}").replace("* 0.5", "* 1")


NAMED = (  # the lines of a graph, and what it is about
    ("times one", "return (x * 1 * 1.0).sin()", "x * 1 and x * 1.0 are x."),
    ("one on the left", "return (1 * x).sin()", "A product may have its number first."),
    ("over, to the power, minus", "return (((x / 1) ** 1) - 0).sin()",
     "Over 1, to the power of 1, minus 0."),
    ("a float for the power, a truth value for the factor", "return ((x ** 1.0) * True).sin()",
     "x ** 1.0 is x, and True counts as 1."),
    ("functions and methods", "return torch.mul(x, 1).mul(1).sin()",
     "torch.mul and the method are products too."),
    ("minus minus", "return (-(-x)).sin()", "Both signs go."),
    ("the inner value is read", "y = -x\nreturn (-y).sin() + y",
     "The inner value has another user and stays."),
    ("the inner value is written", "y = -x\ny.add_(1)\nreturn (-y).sin()",
     "What is negated again is not -x any more."),
    ("the inner value is written afterwards", "y = -x\nz = -y\ny.add_(1)\nreturn z.sin() + y",
     "The inner call is touched, so the outer one may stay."),
    ("three times", "return (-(-(-x))).sin()", "Two of the three signs go."),
    ("abs of abs", "return x.abs().abs().relu().relu().sin()", "One abs and one relu are enough."),
    ("abs of what is no abs any more", "y = x.abs()\ny.sub_(1)\nreturn y.abs().sin()",
     "The inner value was written before the outer call."),
    ("plus zero", "return 1 / (x + 0)", "For x = -0.0 the sum is +0.0."),
    ("number minus", "return (0 - x).sin() + (1 / x)", "0 - x is not x, nor is 1 / x."),
    ("minus a negative zero", "return 1 / (x - -0.0)",
     "x - -0.0 is x + 0.0, and for x = -0.0 that is +0.0."),
    ("times zero", "return x * 0 + 1", "Infinity times 0 is NaN."),
    ("minus itself", "return (x - x) + 1", "Infinity minus infinity is NaN."),
    ("written afterwards", "y = x * 1\ny.add_(1)\nreturn y - x",
     "The product is a tensor of its own, and x must stay as it is."),
    ("x is written afterwards", "y = x * 1\nx.add_(1)\nreturn y - x",
     "The product has the numbers from before the write."),
    ("returned", "return x * 1", "The caller gets a tensor that does not share memory with x."),
    ("returned twice", "y = x.sin()\nreturn y, y * 1",
     "The caller gets two tensors, and may write to one of them."),
    ("returned in a list", "y = x.sin()\nreturn [y, (y * 1, {'a': x * 1})]",
     "The caller gets three tensors, and may write to one of them."),
    ("a weight times one", "return self.w * 1",
     "The caller gets a tensor, and must not get the weight."),
    ("a product that is returned", "return (x + self.w) * 1", "What the output reads stays."),
    ("a keyword", 'return torch.div(x, 1, rounding_mode="floor").sin()',
     "With `rounding_mode` the quotient is rounded."),
    ("a keyword of relu", "return F.relu(x.relu(), inplace=False).sin()",
     "Calls with a keyword stay, whatever it says."),
    ("a number that is not one", "return (x * 3 - 1).sin()", "Neither changes nothing."),
)  # fmt: skip
WHOLE = (
    ("whole numbers", "return ((x * 1 + 0) - 0) * 3", "For whole numbers x + 0 is x."),
    ("whole numbers times 1.0", "return (x * 1.0) + 2", "The product is a float32 tensor."),
    ("whole numbers over 1", "return (x / 1) + 2", "The quotient is a float32 tensor."),
)
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(3, 3)",
    "reshape": "y.reshape(3, 3)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}
WRITTEN = "y = x * 1\nv = {}\nv.add_(1)\nreturn y - x"
VIEWED = "The view shares the memory of the product, which must not be that of x."

CASES = (
    *(graph_case(*named, SPECIAL) for named in NAMED),
    *(
        graph_case(f"written through {name}", WRITTEN.format(call), VIEWED, SPECIAL)
        for name, call in VIEWS.items()
    ),
    *(graph_case(*named, WHOLE_NUMBERS) for named in WHOLE),
    *drawn_cases(4, 4, x=SPECIAL, change=with_ones),
)
