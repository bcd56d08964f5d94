"""The exercise on a tuning record reads the file that TVM's search left as TVM itself plays it."""

import importlib.util
import json

import pytest

from tutor.base.paths import course_root


def load(path):
    """Return the module at this path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_each_trace_makes_the_loops_that_tvm_makes():
    pytest.importorskip("tvm")
    from tvm import s_tir, te

    root = course_root()
    played = load(root / "kernels" / "read_a_trace_of_tuning" / "reference.py").Played
    text = (root / "lessons" / "recorded" / "tuning.jsonl").read_text("utf-8")
    seen = set()
    for _, (trace, _, _, arguments) in map(json.loads, text.splitlines()):
        (rows, terms), (_, columns) = arguments[0][2], arguments[1][2]
        a, b = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
        k = te.reduce_axis((0, terms), name="k")
        c = te.compute((rows, columns), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")  # noqa: B023
        schedule = s_tir.Schedule(te.create_prim_func([a, b, c]))
        end = [each[0] for each in trace[0]].index("EnterPostproc")
        s_tir.Trace.apply_json_to_schedule([trace[0][:end], trace[1]], schedule)
        wanted = [int(schedule.get(x).extent) for x in schedule.get_loops(schedule.get_sblock("C"))]
        own = played(trace, arguments)
        assert [own.extents[loop] for loop in own.nest] == wanted
        assert own.unroll == int(
            schedule.get(schedule.get_sblock("root")).annotations["meta_schedule.unroll_explicit"]
        )
        seen.add(tuple(wanted))
    assert len(seen) > 10
