"""The names of one program in another: functions by their roles, then parameters and locals by the
statements that they stand in."""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count

from tutor.judge.repair.likeness import Bag, compare_bags, make_bag, mean, split_words
from tutor.judge.repair.trees import (
    KNOWN,
    Function,
    bound_name,
    called_name,
    functions,
    is_constant,
    is_kernel,
    launches,
    loads,
    locals_of,
    name_kernel,
    statements,
    stores,
    text_of,
    top_level_names,
    top_level_statements,
)

# Names are paired in rounds, sure ones first: a pair found helps the next ones.
_FLOORS = (0.62, 0.5, 0.42, 0.36)
_SAME_NAME, _BOTH_BOUND = 0.25, 0.1  # what speaks for a pair beside its statements
_MOST_PLACES = 6  # of a name that are compared
_LATE = 999  # place in an order of what is not in it


class _Rename(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> ast.Global:
        node.names = [self._names.get(name, name) for name in node.names]
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        node.names = [self._names.get(name, name) for name in node.names]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if name := bound_name(node):  # of a pattern or an `except`
            setattr(
                node,
                "rest" if isinstance(node, ast.MatchMapping) else "name",
                self._names.get(name, name),
            )
        return super().generic_visit(node)


def adopt_names(mine: ast.Module, theirs: ast.Module) -> ast.Module:
    """Rewrite `theirs` in the names of `mine`, in place, and return it."""
    pairs = _pair_functions(mine, theirs)
    if other := {name: own for name, own in pairs.items() if name != own}:
        _rename_functions(theirs, other)
    own, found = functions(mine), functions(theirs)
    # The host first: then the arguments of kernels already have my names.
    for name in sorted(found, key=lambda name: is_kernel(found[name])):
        if name in own:
            _adopt_locals(mine, theirs, own[name], found[name])
    return theirs


def adopt_constants(mine: ast.Module, theirs: ast.Module) -> ast.Module:
    """Give the names that a module's own statements set those of `mine`, in their order, in place, and
    return `theirs`. Nothing changes where their numbers differ."""
    own, found = _constants(mine), _constants(theirs)
    if len(own) == len(found):
        _Rename(dict(zip(found, own, strict=True))).visit(theirs)
    return theirs


def _constants(tree: ast.Module) -> list[str]:
    targets = (node for each in top_level_statements(tree) for node in ast.walk(each))
    names = [n.id for n in targets if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(names))


def _rename_functions(tree: ast.Module, names: Mapping[str, str]) -> None:
    """Rename functions; locals that have one of the new names make room for it."""
    taken = _all_names(tree) | set(names.values())
    for function in functions(tree).values():
        room = {}
        for name in set(locals_of(function)) & set(names.values()):
            room[name] = _free_name(name, taken)
            taken.add(room[name])
        _rename_locals(tree, function, room)
    if new := names.get("_"):  # as a variable the name means something else
        functions(tree)["_"].name = new
    _Rename({old: new for old, new in names.items() if old != "_"}).visit(tree)


def _rename_locals(tree: ast.Module, function: Function, names: Mapping[str, str]) -> None:
    """Rename locals in a function, and its parameters where calls name them."""
    if not names:
        return
    parameters = {argument.arg for argument in function.args.args + function.args.kwonlyargs}
    kind = ast.Attribute if function.name in _methods(tree) else ast.Name
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, kind)
            and called_name(node) == function.name
        ):
            for keyword in node.keywords:
                if keyword.arg in parameters:
                    keyword.arg = names.get(keyword.arg, keyword.arg)
    _Rename(names).visit(function)


def _pair_functions(mine: ast.Module, theirs: ast.Module) -> dict[str, str]:
    """Return my name for each function of theirs that has a counterpart."""
    own, found = functions(mine), functions(theirs)
    pairs = {name: name for name in found if name in own}
    # Others call a method by its name, and what I bind by a name they may ask for by it.
    known = _methods(mine) | _other_names(theirs)
    fixed = _methods(theirs) | _find_repeated(theirs) | stores(top_level_statements(mine))
    left = [name for name in _by_launch(mine) if name not in pairs and name not in known]
    for name in (each for each in _by_launch(theirs) if each not in fixed):
        free = [n for n in left if is_kernel(own[n]) == is_kernel(found[name])]
        if name in pairs or not free:
            continue
        bag = make_bag(split_words(ast.unparse(found[name])))
        likest = [compare_bags(make_bag(split_words(ast.unparse(own[n]))), bag) for n in free]
        pairs[name] = free[likest.index(max(likest))]
        left.remove(pairs[name])
    return pairs


def _other_names(tree: ast.Module) -> set[str]:
    """Return the names that mean something else than a function or a local: a new name of a function
    must be none of them."""
    found = functions(tree)
    inside = {name for function in found.values() for name in locals_of(function)}
    top = top_level_names(tree) - KNOWN
    return (top | loads([tree]) - inside) - set(found) | stores(top_level_statements(tree))


def _find_repeated(tree: ast.Module) -> set[str]:
    """Return the names of more than one function."""
    names = Counter(node.name for node in ast.walk(tree) if isinstance(node, Function))
    return {name for name, number in names.items() if number > 1}


def _all_names(tree: ast.AST) -> set[str]:
    """Return every name that stands in a tree, bound or read."""
    names = loads([tree]) | stores([tree])
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, Function)}


def _methods(tree: ast.Module) -> set[str]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {each.name for node in classes for each in node.body if isinstance(each, Function)}


def _by_launch(tree: ast.Module) -> list[str]:
    """Return the functions' names: kernels as they are launched, then the others."""
    order = [name_kernel(call) for call in launches(tree)]
    defined = functions(tree)

    def place(name: str) -> tuple[bool, int]:
        return not is_kernel(defined[name]), order.index(name) if name in order else _LATE

    return sorted(defined, key=place)


def _adopt_locals(mine: ast.Module, theirs: ast.Module, own: Function, found: Function) -> None:
    """Give a function of theirs my locals, and its launches my parameters in my order."""
    name = own.name
    beside: tuple[list[str], list[str]] = ([], [])
    if is_kernel(found):
        beside = _list_handed_over(mine, name), _list_handed_over(theirs, name)
    kept = set()
    if name in _context_makers(theirs):
        kept = {argument.arg for argument in found.args.args}
    names = pair_locals(own, found, *beside, kept)
    if is_kernel(found):
        _Rename(names).visit(found)
    else:
        _rename_locals(theirs, found, names)
    order = [k.arg for call in launches(mine, name) for k in call.keywords]
    for call in launches(theirs, name):
        for keyword in call.keywords:
            keyword.arg = names.get(keyword.arg, keyword.arg) if keyword.arg else None
        call.keywords.sort(key=lambda k: order.index(k.arg) if k.arg in order else _LATE)
    by_name = not any(call.args for call in launches(theirs, name))  # no place counts
    if is_kernel(found):
        mine_now = {argument.arg for argument in found.args.args + found.args.kwonlyargs}
        _rename_texts(theirs, {old: new for old, new in names.items() if new in mine_now})
    if is_kernel(found) and by_name and not found.args.defaults and not own.args.defaults:
        places = {argument.arg: i for i, argument in enumerate(own.args.args)}
        found.args.args.sort(key=lambda argument: places.get(argument.arg, _LATE))


def _rename_texts(tree: ast.Module, names: Mapping[str, str]) -> None:
    """Rename the parameters of a kernel where a text names them: in an autotuner's configurations and
    its `key`, in heuristics, and in the `meta["BLOCK"]` of a grid or a hook."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    read = [
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called
    ]
    handed_over = loads(read)
    for node in ast.walk(tree):
        texts: list[ast.expr | None] = []
        match node:
            case ast.Call(func=ast.Attribute(attr="Config"), args=[ast.Dict(keys=keys), *_]):
                texts = keys
            case ast.Call(func=ast.Attribute(attr="heuristics")):
                texts = [
                    key
                    for given in ast.walk(node)
                    if isinstance(given, ast.Dict)
                    for key in given.keys
                ]
            case ast.keyword(
                arg="key" | "reset_to_zero" | "restore_value", value=ast.List(elts=elts)
            ):
                texts = list(elts)
            case ast.Lambda():
                texts = [each.slice for each in ast.walk(node) if isinstance(each, ast.Subscript)]
            case ast.FunctionDef(name=name, args=ast.arguments(args=given)) if name in handed_over:
                parameters = {argument.arg for argument in given}
                texts = [
                    each.slice
                    for each in ast.walk(node)
                    if isinstance(each, ast.Subscript) and loads([each.value]) & parameters
                ]
        for text in texts:
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                text.value = names.get(text.value, text.value)


def _context_makers(tree: ast.Module) -> set[str]:
    """Return the names of functions whose parameters PyTorch hands over by name."""
    given = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    return loads(keyword.value for keyword in given if keyword.arg == "setup_context")


def _list_handed_over(tree: ast.Module, name: str) -> list[str]:
    """Return what launches of a kernel hand over, as `parameter = argument`."""
    return [
        f"{k.arg} = {ast.unparse(k.value)}"
        for call in launches(tree, name)
        for k in call.keywords
        if k.arg
    ]


class _Places:
    """Where the locals of a function stand: its statements as words, and what a name is."""

    def __init__(self, function: Function, beside: Sequence[str]) -> None:
        self.names = locals_of(function)
        texts = [text_of(statement) for statement, _ in statements(function)]
        self._rows = [split_words(text) for text in (*texts, *beside)]
        parameters = function.args.args + function.args.kwonlyargs
        self.parameters = {p.arg for p in parameters}
        self.constants = {p.arg for p in parameters if is_constant(p)}

    def kind(self, name: str) -> tuple[bool, bool]:
        return name in self.parameters, name in self.constants

    def around(
        self, names: list[str], word: Callable[[str], str]
    ) -> dict[str, list[tuple[Bag, bool]]]:
        """Return of each name the statements around it in words that both programs share, and
        whether it is bound there."""
        found: dict[str, list[tuple[Bag, bool]]] = {name: [] for name in names}
        for row in self._rows:
            for name in set(row) & set(names):
                if len(found[name]) < _MOST_PLACES:
                    words = ["@" if part == name else word(part) for part in row]
                    found[name].append((make_bag(words), row[0] == name))
        return found


def pair_locals(
    mine: Function,
    theirs: Function,
    mine_beside: Sequence[str],
    their_beside: Sequence[str],
    kept: Iterable[str],
) -> dict[str, str]:
    """Return my name for each local of theirs; one without a counterpart keeps its name, or gets a
    free one. Those in `kept` keep theirs."""
    own, other = _Places(mine, mine_beside), _Places(theirs, their_beside)
    pairs = {name: name for name in kept}
    # What a local of theirs must not be called: the body reads another thing by that name.
    others = _all_names(theirs) - set(other.names)
    for floor in _FLOORS:
        for score, name, found in _scores(own, other, pairs):
            fits = score >= floor and name not in others
            if fits and found not in pairs and name not in pairs.values():
                pairs[found] = name
    _pair_by_place(mine, theirs, pairs, others)
    taken = set(own.names) | set(pairs.values()) | others
    for name in other.names:
        if name not in pairs:
            pairs[name] = _free_name(name, taken)
            taken.add(pairs[name])
    return pairs


def _pair_by_place(
    mine: Function, theirs: Function, pairs: dict[str, str], others: set[str]
) -> None:
    """Pair the parameters that are left by their places: one that nobody reads stands in no statement.
    Kernels are left alone, because their launches name what they hand over."""
    if is_kernel(mine) or is_kernel(theirs) or len(mine.args.args) != len(theirs.args.args):
        return
    for own, other in zip(mine.args.args, theirs.args.args, strict=True):
        if other.arg not in pairs and own.arg not in {*pairs.values(), *others}:
            pairs[other.arg] = own.arg


def _scores(own: _Places, other: _Places, pairs: Mapping[str, str]) -> list[tuple[float, str, str]]:
    """Return how well each free name of mine fits each free one of theirs, best first."""
    mine = set(own.names)
    paired = set(pairs.values())

    def my_word(part: str) -> str:
        return part if part in paired or part not in mine else "_"

    def their_word(part: str) -> str:
        return pairs.get(part) or (part if part not in other.names else "_")

    ours = own.around([n for n in own.names if n not in paired], my_word)
    found = other.around([n for n in other.names if n not in pairs], their_word)
    scores = []
    for their_name, their_rows in found.items():
        for my_name, my_rows in ours.items():
            if own.kind(my_name) != other.kind(their_name) or not my_rows or not their_rows:
                continue
            fit = mean(
                max(
                    compare_bags(bag, known) + (_BOTH_BOUND if bound == is_bound else 0.0)
                    for known, is_bound in my_rows
                )
                for bag, bound in their_rows
            )
            fit += _SAME_NAME if my_name == their_name else 0.0
            scores.append((fit, my_name, their_name))
    return sorted(scores, reverse=True)


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(tried for n in count() if (tried := f"{name}_{n or ''}") not in taken)
