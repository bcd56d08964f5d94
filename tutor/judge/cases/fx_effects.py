"""Effects of a node of an FX graph besides its value: writes in place, random draws, memory that it
shares with its input. References of exercises on passes count with these."""

from types import FunctionType

from torch.fx import Graph, Node

DRAWS = frozenset(("rand_like", "randn_like", "dropout", "bernoulli"))
VIEWS = frozenset(("t", "view", "reshape", "transpose", "expand", "getitem", "contiguous"))


# Modules of Python functions, and those of the types of all else that may be called.
_LIBRARIES: tuple[str, ...] = ("torch", "operator", "builtins", "math")
_KINDS: tuple[str, ...] = ("builtins", "torch._ops")


def target_name(node: Node) -> str:
    """Return the name of what a node calls, without its module: `gelu`.

    What belongs to no library keeps its module: `answer.gelu` is a function of the learner's own, even
    where `functools.wraps` says otherwise.
    """
    target = node.target
    name = str(getattr(target, "__name__", target))
    if isinstance(target, str):
        return name
    known = _LIBRARIES
    if isinstance(target, FunctionType):
        home = str(target.__globals__.get("__name__"))
    elif isinstance(target, type):
        home = target.__module__
    else:
        home, known = type(target).__module__, _KINDS
    return name if home in known or home.partition(".")[0] in known else f"{home}.{name}"


def is_call(node: Node) -> bool:
    """Return True if the node calls a function, a method or a module."""
    return node.op.startswith("call")


def writes(node: Node) -> bool:
    """Say whether a call changes its first argument: `add_`, `torch.relu_`, `inplace=True`."""
    name = target_name(node)
    in_place = name.endswith("_") and not name.endswith("__")
    return is_call(node) and (in_place or bool(node.kwargs.get("inplace")))


def draws(node: Node) -> bool:
    """Return True if the node draws random numbers, so that a second call gives others."""
    return is_call(node) and target_name(node) in DRAWS


def memories(graph: Graph) -> dict[Node, Node]:
    """Return for each node the first one that has its memory.

    Views and writes have the memory of their first input, two reads of a weight have one memory.
    """
    memory: dict[Node, Node] = {}
    weights: dict[str, Node] = {}
    for node in graph.nodes:
        owner = node
        if is_call(node) and (writes(node) or target_name(node) in VIEWS) and node.all_input_nodes:
            owner = memory[node.all_input_nodes[0]]
        elif node.op == "get_attr":
            owner = weights.setdefault(str(node.target), node)
        memory[node] = owner
    return memory


def find_touched(graph: Graph) -> set[Node]:
    """Return the nodes whose memory is written somewhere in the graph, by themselves or by a view."""
    memory = memories(graph)
    written = {memory[node] for node in graph.nodes if writes(node)}
    return {node for node in graph.nodes if memory[node] in written}


def find_needed(graph: Graph) -> set[Node]:
    """Return the nodes that must stay: inputs, the output, writes, draws, and all that these read."""
    roots = [n for n in graph.nodes if n.op in ("placeholder", "output") or writes(n) or draws(n)]
    nodes = set(roots)
    while roots:
        new = set(roots.pop().all_input_nodes) - nodes
        nodes |= new
        roots += new
    return nodes
