"""Record the file that a search of Day 37 leaves: `python tests/content/record_tuning.py [FILE]`.

TVM's tuner makes trials for two products, builds and times them in this process, and writes its
database. A trial whose call takes longer than `PATIENCE` counts as failed, as with a tuner's time limit.
"""

import sys
import tempfile
from pathlib import Path

import torch
import tvm
from tvm import te
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms

from tutor.base.paths import course_root
from tutor.course.tvm_cells import without_intrinsics

PRODUCTS = ((128, 64, 96), (64, 64, 64))  # rows, terms, columns
TARGET = {"kind": "llvm", "mcpu": "core-avx2", "num-cores": 1}
TRIALS, PATIENCE = 12, 125e-6


def product(rows: int, terms: int, columns: int) -> tvm.IRModule:
    """Return a matrix product as one block C."""
    a, b = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
    k = te.reduce_axis((0, terms), name="k")
    c = te.compute((rows, columns), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return tvm.IRModule({"main": te.create_prim_func([a, b, c])})


def in_this_process(sizes: tuple[int, int, int], target: tvm.target.Target):
    """Return a builder and a runner that start no other process."""
    rows, terms, columns = sizes
    a, b = torch.rand(rows, terms), torch.rand(terms, columns)
    out, want = torch.empty(rows, columns), a @ b
    given = [tvm.runtime.from_dlpack(x) for x in (a, b, out)]
    built = []

    @derived_object
    class Builder(ms.builder.PyBuilder):
        def build(self, build_inputs):
            first = len(built)
            built.extend(tvm.compile(each.mod, target=target) for each in build_inputs)
            return [ms.builder.BuilderResult(str(at), None) for at in range(first, len(built))]

    @derived_object
    class Done(ms.runner.PyRunnerFuture):
        def __init__(self, result):
            super().__init__()
            self.kept = result

        def done(self):
            return True

        def result(self):
            return self.kept

    def timed(at):
        built[at]["main"](*given)
        assert torch.allclose(out, want, rtol=1e-4)
        clock = built[at].mod.time_evaluator("main", tvm.cpu(), number=5, repeat=5)
        seconds = list(clock(*given).results)
        if min(seconds) > PATIENCE:
            return ms.runner.RunnerResult(None, "longer than the time limit")
        return ms.runner.RunnerResult(seconds, None)

    @derived_object
    class Runner(ms.runner.PyRunner):
        def run(self, runner_inputs):
            return [Done(timed(int(str(each.artifact_path)))) for each in runner_inputs]

    return Builder(), Runner()


def main(path: Path) -> None:
    """Search, and write the records of both programs."""
    target = tvm.target.Target(TARGET)
    with tempfile.TemporaryDirectory() as folder, without_intrinsics():
        database = ms.database.JSONDatabase(work_dir=folder)
        for sizes in PRODUCTS:
            builder, runner = in_this_process(sizes, target)
            ms.tune_tir(
                product(*sizes),
                target,
                folder,
                TRIALS,
                num_trials_per_iter=6,
                builder=builder,
                runner=runner,
                database=database,
                cost_model="random",
                strategy=ms.search_strategy.EvolutionarySearch(
                    population_size=32, genetic_num_iters=2
                ),
                measure_callbacks=[
                    ms.measure_callback.AddToDatabase(),
                    ms.measure_callback.UpdateCostModel(),
                ],
                num_tuning_cores=1,
                seed=37,
            )
        path.write_text(Path(folder, "database_tuning_record.json").read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else course_root() / "lessons/recorded/tuning.jsonl"))
