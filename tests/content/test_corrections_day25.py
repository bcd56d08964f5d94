"""What Day 25 states and running can decide: these keep watch over new versions of torch.

The numbers are those of the list of corrections that the course was written against.
"""

import logging
from inspect import signature

import pytest
import torch
import torch.nn.functional as F
from functorch.compile import (
    default_partition,
    make_boxed_func,
    min_cut_rematerialization_partition,
)
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.decomposition import select_decomp_table


@pytest.fixture(autouse=True)
def quiet():
    """No warning about the limit of compilations, and nothing left in Dynamo's caches."""
    torch._logging.set_logs(dynamo=logging.ERROR)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
    torch._logging.set_logs()


def compiled(f, **options):
    graphs = []

    def note(graph, inputs):
        graphs.append(graph)
        return graph.forward

    return torch.compile(f, backend=note, **options), graphs


def compilations(f, calls, **options):
    """How many compilations there have been after each call."""
    torch._dynamo.reset()
    g, graphs = compiled(f, **options)
    seen = []
    for args in calls:
        g(*args)
        seen.append(len(graphs))
    return seen


def targets(graph):
    return [
        getattr(n.target, "__name__", str(n.target))
        if not isinstance(n.target, torch._ops.OpOverload)
        else str(n.target)
        for n in graph.graph.nodes
        if n.op.startswith("call")
    ]


def lowered(f, *args, **options):
    """The ATen graphs of `f`, forward first; its backward too where an input wants a gradient."""
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return make_boxed_func(graph.forward)

    torch._dynamo.reset()
    out = torch.compile(f, backend=aot_autograd(fw_compiler=keep, **options))(*args)
    if out.requires_grad:
        out.sum().backward()
    return graphs


@pytest.mark.slow
def test_f01_dynamo_emits_torch_level_calls_and_aot_emits_aten():
    W, b = torch.randn(4, 4), torch.randn(4)
    g, graphs = compiled(lambda x: F.gelu(x @ W + b).sin())
    g(torch.randn(3, 4))
    assert targets(graphs[0]) == ["matmul", "add", "gelu", "sin"]
    aten = lowered(lambda x: F.gelu(x @ W + b).sin(), torch.randn(3, 4))[0]
    assert all(name.startswith("aten.") for name in targets(aten))


SHAPES = [(torch.ones(rows, 4),) for rows in range(2, 12)]


def test_f02_a_second_shape_makes_the_dimension_symbolic():
    assert compilations(lambda x: x * 2, SHAPES)[-1] == 2
    assert compilations(lambda x: x * 2, SHAPES, dynamic=True)[-1] == 1


def test_f03_without_symbols_eight_compilations_and_then_eager():
    assert compilations(lambda x: x * 2, SHAPES, dynamic=False)[-1] == 8
    assert torch._dynamo.config.recompile_limit == 8
    assert torch._dynamo.config.accumulated_recompile_limit == 256


def counted(f, **options):
    """`f` compiled, and a list that grows by one with each run of compiled code."""
    runs = []

    def note(graph, inputs):
        def run(*args):
            runs.append(graph)
            return graph.forward(*args)

        return run

    torch._dynamo.reset()
    return torch.compile(f, backend=note, **options), runs


def test_versions_stay_in_use_after_the_limit():
    g, runs = counted(lambda x: x * 2, dynamic=False)
    for (x,) in SHAPES:
        g(x)
    assert len(runs) == 8
    for rows, compiled_run in ((2, True), (9, True), (10, False)):
        before = len(runs)
        g(torch.ones(rows, 4))
        assert (len(runs) > before) == compiled_run, rows


SIXTEEN = [(torch.ones(rows, 4),) for rows in range(2, 18)]
TABLE = dict.fromkeys(range(20), 2.0)


def over_rows(x):
    total = 0
    for row in range(x.shape[0]):
        total = total + x[row]
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "versions"),
    [
        (lambda x: x.sin() if x.shape[0] > 10 else x.cos(), 3),
        (over_rows, 8),
        (lambda x: x * TABLE[x.shape[0]], 8),
    ],
    ids=["a comparison", "a loop over rows", "a dictionary key"],
)
def test_what_python_code_makes_of_a_size(f, versions):
    assert compilations(f, SIXTEEN)[-1] == versions


class Scaled(torch.nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, x):
        return x.sin() * self.step


@pytest.mark.parametrize(("step", "versions"), [(1, 8), (1.0, 2)], ids=["int", "float"])
def test_an_int_attribute_of_a_module_is_a_constant_and_a_float_is_not(step, versions):
    torch._dynamo.reset()
    module = Scaled(step)
    g, graphs = compiled(module)
    for _ in range(12):
        g(torch.ones(4))
        module.step += step
    assert len(graphs) == versions


def test_appending_to_a_list_compiles_again_at_each_call():
    history = []

    def logged(x):
        history.append(x.sum())
        return x * 2

    assert compilations(logged, [(torch.ones(4),)] * 4) == [1, 2, 3, 4]


@pytest.mark.slow
@pytest.mark.skipif(
    "isolate_recompiles" not in signature(torch.compile).parameters, reason="torch is too old"
)
def test_two_compilations_of_a_function_share_the_limit_unless_isolated():
    def shared(x):
        return x * 2

    torch._dynamo.reset()
    train, _ = compiled(shared, dynamic=False)
    for (x,) in SHAPES:
        train(x)
    made = []
    for options in ({}, {"isolate_recompiles": True}):
        valid, graphs = compiled(shared, dynamic=False, **options)
        for rows in range(20, 24):
            valid(torch.ones(rows, 4))
        made.append(len(graphs))
    assert made == [0, 4]


def test_item_in_a_loss_cuts_the_graph_and_a_detached_tensor_does_not():
    def before(x):
        error = x.square().mean()
        shown = error.item()
        return error + x.abs().sum(), shown

    def after(x):
        error = x.square().mean()
        return error + x.abs().sum(), error.detach()

    calls = [(torch.rand(8),)] * 5
    assert compilations(before, calls)[-1] == 2
    assert compilations(after, calls)[-1] == 1


def test_f03_a_hundred_slices_are_three_compilations():
    calls = [(torch.ones(100), n) for n in range(100)]
    assert compilations(lambda x, n: x[:n] * 2, calls)[-1] == 3


def test_f04_a_float_that_changed_becomes_a_symbol():
    calls = [(torch.ones(4), m) for m in (2.0, 2.0, 3.0, 4.0, 5.0)]
    assert compilations(lambda x, m: x * m, calls) == [1, 1, 2, 2, 2]


def shout(x):
    y = x.sin()
    print(f"sum {y.sum()}")
    return y.cos()


def test_f05_print_breaks_unless_it_may_be_reordered():
    assert compilations(shout, [(torch.ones(3),)]) == [2]
    with torch._dynamo.config.patch(reorderable_logging_functions={print}):
        assert compilations(shout, [(torch.ones(3),)], fullgraph=True) == [1]


def test_f05_suppress_errors_removes_no_break():
    with torch._dynamo.config.patch(suppress_errors=True):
        assert compilations(shout, [(torch.ones(3),)]) == [2]
        with pytest.raises(torch._dynamo.exc.Unsupported):
            compilations(shout, [(torch.ones(3),)], fullgraph=True)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


WHOLE = {
    "f06 a custom autograd.Function": lambda x: Square.apply(x).sin(),
    "f07 sorted on numbers": lambda x: x * sorted([3, 1, 2])[0],
    "f09 torch.where": lambda x: torch.where(x.sum() > 0, x.sin(), x.cos()),
    "f09 torch.cond": lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)),
}
BROKEN = {
    "f07 sorted by tensors": lambda x: sorted([x.sin(), x.cos()], key=torch.sum)[0],
    "f09 an if on a tensor": lambda x: x.sin() if x.sum() > 0 else x.cos(),
}


@pytest.mark.parametrize("f", WHOLE.values(), ids=WHOLE.keys())
def test_is_captured_whole(f):
    x = torch.rand(3, requires_grad="Square" in f.__code__.co_names)
    assert compilations(f, [(x,)], fullgraph=True) == [1]


@pytest.mark.parametrize("f", BROKEN.values(), ids=BROKEN.keys())
def test_breaks(f):
    with pytest.raises(torch._dynamo.exc.Unsupported):
        compilations(f, [(torch.rand(3),)], fullgraph=True)


def broken(x, training=True):
    y = x.sin()
    print(f"norm {x.norm()}")
    if x.sum() > 0:
        y = y * 2
    return sorted([y, y.cos()], key=lambda t: t.sum())[0]


def test_f10_f11_f15_what_explain_says():
    report = torch._dynamo.explain(broken)(torch.rand(8))
    assert (report.graph_count, report.graph_break_count, report.op_count) == (4, 3, 2)
    assert set(vars(report)) >= {
        "graph_count",
        "graph_break_count",
        "op_count",
        "break_reasons",
        "ops_per_graph",
        "out_guards",
        "compile_times",
    }
    assert "guard count" not in str(report).lower()
    first = [each.reason.splitlines()[0] for each in report.break_reasons]
    assert first == [
        "Failed to trace builtin operator",
        "generic_jump TensorVariable()",
        "sort with non-constant keys",
    ]
    assert "torch_dynamo_resume_in_broken_at" in report.break_reasons[1].user_stack[-1].name


def test_f12_one_guard_covers_a_tensor_and_unread_arguments_have_none():
    report = torch._dynamo.explain(lambda x, flag, spare: x if flag else x.sin())(
        torch.rand(3), False, 1
    )
    of = {guard.name: guard.create_fn_name() for guard in report.out_guards if guard.name}
    assert of["L['x']"] == "TENSOR_MATCH"
    assert "L['flag']" in of
    assert "L['spare']" not in of


def test_which_later_calls_miss_as_the_quiz_says():
    def f(x, scale, debug):
        return x * scale if scale else x + 1

    x = torch.randn(4, 3)
    g, graphs = compiled(f)
    g(x, 2, False)
    missed = []
    for args, grad in [
        ((x, 3, False), True),
        ((x, 2, True), True),
        ((x.double(), 2, False), True),
        ((torch.randn(4, 3), 2, False), True),
        ((x, 2, False), False),
    ]:
        before = len(graphs)
        with torch.set_grad_enabled(grad):
            g(*args)
        missed.append(len(graphs) > before)
    assert missed == [True, False, True, False, True]


def test_the_line_the_quiz_asks_for():
    def f(x, names):
        y = x.sin()
        for name in sorted(names):
            y = y * len(name)
        if y.mean() > 0:
            print("positive")
        return torch.where(y > 1, y, x)

    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"if y\.mean\(\) > 0:"):
        torch.compile(f, backend="eager", fullgraph=True)(torch.rand(3), ["ab", "a"])


@pytest.mark.parametrize("cut", [default_partition, min_cut_rematerialization_partition])
def test_f19_exp_of_sin_saves_x_and_the_output(cut):
    x = torch.rand(4, requires_grad=True)
    forward, _ = lowered(lambda x: x.sin().exp(), x, partition_fn=cut)
    kept = forward(x.detach())[1:]
    expected = {"x": x, "exp": x.sin().exp(), "sin": x.sin()}
    held = {k for k, v in expected.items() if any(torch.equal(v, each) for each in kept)}
    assert held == {"x", "exp"}


def test_f20_min_cut_computes_again_what_the_default_saves():
    def saved(cut):
        x = torch.rand(4, requires_grad=True)
        forward, _ = lowered(lambda x: x.cos().cos().cos(), x, partition_fn=cut)
        return len(forward(x.detach())) - 1

    assert saved(default_partition) == 3
    assert saved(min_cut_rematerialization_partition) == 1


DECOMPOSED = {
    "gelu": (F.gelu, "mul mul erf add mul"),
    "layer_norm": (lambda x: F.layer_norm(x, (8,)), "var_mean add rsqrt sub mul"),
    "softmax": (lambda x: x.softmax(1), "amax sub exp sum div"),
}


@pytest.mark.parametrize(("f", "parts"), DECOMPOSED.values(), ids=DECOMPOSED.keys())
def test_f21_f22_f24_the_backends_table_decomposes(f, parts):
    graph = lowered(f, torch.rand(4, 8), decompositions=select_decomp_table())[0]
    names = [n.split(".")[1] for n in targets(graph) if n.startswith("aten.")]
    assert names == parts.split()
    whole = [n for n in targets(lowered(f, torch.rand(4, 8))[0]) if n.startswith("aten.")]
    assert len(whole) == 1


def test_f23_f46_functions_that_do_not_exist():
    assert not hasattr(torch, "gelu")
    assert not hasattr(torch.Tensor, "layer_norm")


def test_f30_names_of_inductors_ir():
    from torch._inductor import ir

    for name in ("Pointwise", "Reduction", "Scan", "Sort", "ExternKernel", "TemplateBuffer"):
        assert hasattr(ir, name)
    assert not hasattr(ir, "PointwiseOp")
    assert not hasattr(ir, "ReductionOp")


def test_f16_f33_the_caches_are_on_and_config_debug_is_not_what_writes_them():
    import inspect

    from torch._inductor import codecache

    assert torch._inductor.config.fx_graph_cache
    assert torch._functorch.config.enable_autograd_cache
    assert not torch._inductor.config.debug
    assert "config.debug" not in inspect.getsource(codecache.PyCodeCache)
    assert callable(torch.compiler.save_cache_artifacts)


def test_f34_tanh_is_no_function_of_tritons_math():
    triton_language = pytest.importorskip("triton.language")
    assert not hasattr(triton_language.math, "tanh")


def test_f45_every_channel_of_the_lesson_exists():
    from torch._logging._internal import log_registry

    from tutor.course.catalog.course import open_course
    from tutor.course.model import Prose

    lesson = open_course().lesson(25)
    assert lesson is not None
    section = next(s for s in lesson.sections if s.slug == "which-log-answers-which-question")
    rows = [
        line.rpartition("|")[0].rpartition("|")[2]
        for block in section.blocks
        if isinstance(block, Prose)
        for line in block.text.splitlines()
        if line.startswith("|")
    ]
    named = {name.strip("` ") for row in rows for name in row.split(",") if "`" in name}
    assert len(named) >= 17
    assert named <= log_registry.artifact_names
    assert {"dynamo", "aot", "inductor"} <= set(log_registry.log_alias_to_log_qnames)
