"""The solutions of all exercises of kind "ranks" over NCCL, a GPU a rank. To be run by hand, where there
are two GPUs or more:

    python tests/judge/ranks/over_nccl.py [--course DIR]

The judge joins ranks by gloo on the processor, where a deadlock can be proven. This runs each case by
NCCL, or by gloo where there are fewer GPUs than ranks, and asks for the same results: of the solution,
and of each right answer of another style until one ends. Prints a line a case, and exits with 1 where
no program is right.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.model import Exercise
from tutor.judge.cases.reference import Reference, load_reference, make_inputs
from tutor.judge.processes import learner_module

SEED = 7
SECONDS = 25  # a case, its processes' start with it


def main() -> int:
    """Run all. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--course", type=Path, default=None)
    asked = parser.parse_args()
    if asked.course:
        os.environ[paths.COURSE] = str(asked.course.resolve())
    course, gpus = open_course(), torch.cuda.device_count()
    names = {torch.cuda.get_device_name(gpu) for gpu in range(gpus)}
    print(f"torch {torch.__version__}, {gpus} GPUs", *sorted(names))
    if gpus:
        print("NCCL", ".".join(map(str, torch.cuda.nccl.version())))
    faults = 0
    for exercise in course.exercises().values():
        if exercise.kind == "ranks":
            faults += run_exercise(exercise, gpus)
    print(f"{faults} faults")
    return int(faults > 0)


def run_exercise(exercise: Exercise, gpus: int) -> int:
    """Run each case. Returns in how many no program was right."""
    reference, faults = load_reference(exercise.folder / "reference.py"), 0
    programs = [exercise.solution, *sorted((exercise.folder / "right").glob("*.py"))]
    for number, case in enumerate(reference.cases):
        world = make_inputs(case, SEED)[0]
        backend = "nccl" if world <= gpus else "gloo"
        said = ""
        for program in programs:
            said, ms = run_case(exercise, reference, number, backend, program)
            place = f"{exercise.slug:16} {program.stem:20} {case.name:40}"
            print(f"{place} {backend} {said} {ms:8.2f} ms", flush=True)
            if said == "right":
                break
        faults += said != "right"
    return faults


def run_case(
    exercise: Exercise, reference: Reference, number: int, backend: str, program: Path
) -> tuple[str, float]:
    """Return what became of the case, and the milliseconds of its second call on rank 0."""
    args = make_inputs(reference.cases[number], SEED)
    world = args[0]
    with tempfile.TemporaryDirectory() as folder:
        given = (exercise.slug, number, backend, str(program), folder)
        ranks = mp.spawn(be_rank, (world, *given), world, join=False)
        until = time.monotonic() + SECONDS
        try:
            while not ranks.join(1.0):
                if time.monotonic() > until:
                    for process in ranks.processes:
                        process.kill()
                    return f"does not end in {SECONDS} s", 0.0
        except mp.ProcessRaisedException as error:
            return str(error).strip().splitlines()[-1][:200], 0.0
        rows = [torch.load(Path(folder) / f"out{rank}") for rank in range(world)]
        ms = float((Path(folder) / "ms").read_text())
    out, want = torch.stack(rows), reference.want(args)
    return ("right" if reference._accepts(out, want, args) else "wrong"), ms


def be_rank(
    rank: int, world: int, slug: str, number: int, backend: str, program: str, folder: str
) -> None:
    """Call the program as this rank, once to warm up and once timed."""
    device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    if backend == "nccl":
        torch.cuda.set_device(rank)
    else:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    store = dist.FileStore(str(Path(folder) / "store"), world)
    at = device if backend == "nccl" else None
    dist.init_process_group(backend, store=store, rank=rank, world_size=world, device_id=at)
    exercise = open_course().exercise(slug)
    reference = load_reference(exercise.folder / "reference.py")
    space: dict[str, Any] = {"__name__": "program"}
    text = Path(program).read_text("utf-8")
    learner_module.remember(text, program)
    learner_module.execute(text, program, space, echo=False)
    entry = space[exercise.entry_name]
    for _ in range(2):
        args = make_inputs(reference.cases[number], SEED)[1:]
        mine = [each[rank].to(device) if isinstance(each, torch.Tensor) else each for each in args]
        dist.barrier()
        began = time.perf_counter()
        with device:
            out = entry(rank, world, *mine).cpu()
        took = (time.perf_counter() - began) * 1e3
    torch.save(out.detach(), Path(folder) / f"out{rank}")
    if rank == 0:
        (Path(folder) / "ms").write_text(str(took))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
