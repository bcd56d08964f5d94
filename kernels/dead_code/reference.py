from collections import Counter

from tutor.judge.cases.fx_effects import find_needed, target_name
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case, graph_of
from tutor.judge.spec import Rewrite

REWRITE = Rewrite(unit="nodes")
cost = len  # every node counts


def most(program, x):
    """The nodes that must stay."""
    return Counter(target_name(node) for node in find_needed(graph_of(program)))


least = most  # what only has the name of a write must stay, too


NAMED = (  # the lines of a graph, and what it is about
    ("one dead node", "y = x.sin()\nreturn x * 2", "Nobody reads the sine."),
    ("dead code that feeds dead code", "y = (x.sin() + 1).abs()\nreturn x * 2",
     "Once the last one has gone, nobody reads the one before."),
    ("a dead chain of twenty", "y = x" + 20 * ".sin()" + "\nreturn x * 2",
     "Each is dead once its only reader has gone, however many there are."),
    ("a weight nobody reads", "y = self.w + 1\nreturn x * 2", "A `get_attr` is a node like any other."),
    ("an argument nobody reads", "return self.w + self.s", "An input stays: callers pass it."),
    ("a write whose value nobody reads", "y = x + 1\ny.add_(2)\ny.add_(3)\nreturn y",
     "Both writes change y, and y is returned."),
    ("a write through a view", "y = x + 1\nv = y.t()\nv.mul_(2)\nreturn y",
     "The view shares the memory of y."),
    ("a function that writes", "y = x - 0.5\ntorch.relu_(y)\nreturn y",
     "The name of `torch.relu_` ends in `_`."),
    ("writing methods of many names",
     "y = x - 0.1\ny.sigmoid_()\ny.lerp_(x, 0.5)\ny.tril_()\n"
     "y.atan_()\ny.clamp_(max=0.2)\ny.addcmul_(x, x)\nreturn y",
     "Each name ends in `_`, and so each method writes."),
    ("writing functions of many names",
     "y = x - 0.1\nF.elu_(y)\ntorch.sigmoid_(y)\ntorch.exp_(y)\n"
     "torch.atan_(y)\ntorch.clamp_(y, max=1.1)\nreturn y",
     "Each name ends in `_`, and so each function writes."),
    ("a keyword that writes", "y = x - 0.5\nF.relu(y, inplace=True)\nreturn y",
     "`inplace=True` makes a write of it."),
    ("a draw nobody reads", "y = torch.rand_like(x)\nz = torch.rand_like(x)\nreturn x * 2",
     "A draw moves the generator on, and the next draw depends on it."),
    ("a normal draw nobody reads", "y = torch.randn_like(x)\nreturn x * 2", "`randn_like` draws too."),
    ("a dropout nobody reads", "y = F.dropout(x, 0.5)\nreturn x * 2",
     "`dropout` draws which numbers it drops."),
    ("a bernoulli nobody reads", "y = x.bernoulli(0.5)\nreturn x * 2",
     "`bernoulli` draws zeros and ones."),
    ("a pure method", "y = x.abs()\nz = x.__reversed__()\nreturn x * 2",
     "A method writes only if its name ends in one `_`; `__reversed__` does not."),
    ("the name of a write, and no write", "y = (x > 0) & (x < 1)\nreturn x * 2",
     "`x & y` calls `operator.and_`, whose name ends in one `_`, and so it stays."),
    ("a pure function", "y = F.leaky_relu(x)\nz = torch.log_softmax(y, 0)\nreturn x * 2",
     "`leaky_relu` writes nothing: `_` is inside, `inplace` is False."),
)  # fmt: skip
CASES = tuple(graph_case(*named) for named in NAMED) + drawn_cases()
