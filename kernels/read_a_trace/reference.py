import json
from itertools import pairwise

import torch

from tutor.course.trace import recorded_trace
from tutor.judge.spec import Case, Work

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
PARTS = ("number of kernels", "busy time", "span", "longest gap", "waiting time", "mean delay")


def reference(trace):
    spans = [e for e in json.loads(trace)["traceEvents"] if e.get("ph") == "X"]
    kernels = [e for e in spans if e["cat"] == "kernel"]
    calls = [e for e in spans if e["cat"] in CALLS]
    waiting = sum(e["dur"] for e in calls if "Synchronize" in e["name"])
    starts = {e["args"]["correlation"]: e["ts"] for e in calls}
    delays = [e["ts"] - starts[n] for e in kernels if (n := e["args"]["correlation"]) in starts]
    mean = sum(delays) / len(delays) if delays else 0.0
    numbers = [len(kernels), *idle_and_busy([e for e in spans if e["cat"] in GPU]), waiting, mean]
    return torch.tensor(numbers, dtype=torch.float64)


def idle_and_busy(work):
    """Busy time, span and longest gap, from how much work is open between two edges."""
    edges = sorted([(e["ts"], 1) for e in work] + [(e["ts"] + e["dur"], -1) for e in work])
    busy = gap = quiet = 0.0
    open_ones = 0
    for (at, change), (following, _) in pairwise(edges):
        open_ones += change
        if open_ones:
            busy += following - at
            quiet = 0.0
        else:
            quiet += following - at
            gap = max(gap, quiet)
    return busy, (edges[-1][0] - edges[0][0] if edges else 0.0), gap


eager = reference


def work(trace):
    return Work(bytes=len(trace), flops=0)


def check_module(constants):
    """Return one sentence on the constant where it is wrong, else None."""
    spans = recorded_trace("as found").spans
    steps = sum(s.name == "step" for s in spans)
    products = sum(s.name in ("aten::mm", "aten::addmm") for s in spans) // steps
    said = constants.get("PRODUCTS_A_STEP")
    if isinstance(said, int) and said == products * steps:
        return (
            f"PRODUCTS_A_STEP is {said}: those are all of the {steps} steps. One has half of them."
        )
    if isinstance(said, bool) or said != products:
        return (
            f"PRODUCTS_A_STEP is {said!r}. Count `aten::addmm` forwards and `aten::mm` backwards, for "
            'example in `[s.name for s in recorded_trace("as found").spans]`, and see which layer has '
            "only one."
        )
    return None


def explain_wrong(got, trace):
    """Return one sentence on what a number is instead, else on the first that is wrong."""
    want = reference(trace)
    spans = [e for e in json.loads(trace)["traceEvents"] if e.get("ph") == "X"]
    gpu = [e for e in spans if e["cat"] in GPU]
    wrong = [k for k in range(6) if not torch.isclose(got[k], want[k])]
    if not wrong:
        return None
    if want[1:].any() and torch.allclose(got[1:] * 1000, want[1:]):
        return (
            "Your times are a thousandth of the right ones. `ts` and `dur` are microseconds, and so is "
            "the answer."
        )
    if 0 in wrong and got[0] == len(gpu):
        return (
            f"Element 0 is {got[0]:g}: so many are kernels, copies and fills together. It counts "
            "kernels."
        )
    if 1 in wrong and abs(got[1] - sum(e["dur"] for e in gpu)) < 1e-6:
        return "Element 1 is the sum of all durations, and some of the work overlaps."
    ends = sorted((e["ts"], e["ts"] + e["dur"]) for e in gpu)
    steps = [b - end for (_, end), (b, _) in pairwise(ends)]
    if 3 in wrong and steps and abs(got[3] - max(0.0, *steps)) < 1e-6:
        return (
            "Element 3 is the longest time from the end of one event to the next in order. A gap "
            "begins where all work before it has ended."
        )
    waits = sum(e["dur"] for e in spans if "Synchronize" in e["name"])
    if 4 in wrong and got[4] == waits:
        return (
            "Element 4 is the time of all events with `Synchronize` in their names. `cat` says which "
            "are runtime calls."
        )
    around = sum(e["dur"] for e in spans if "scalar_dense" in e["name"])
    if 4 in wrong and got[4] == around > 0:
        return "Element 4 is the time of the operators around the calls. It counts the runtime's calls."
    return (
        f"Element {wrong[0]}, the {PARTS[wrong[0]]}, is {got[wrong[0]]:g}, not {want[wrong[0]]:g}."
    )


class Writer:
    """Writes a trace as a program with a queue would leave it; times are multiples of 1/4 us."""

    def __init__(self, g):
        self.g, self.events = g, []
        self.now = 100.0 + self.dice(0, 400)
        self.free = {7: 0.0, 13: 0.0}  # when each stream has done its work
        self.number = 1000

    def dice(self, low, high):
        return int(torch.randint(4 * low, 4 * high + 1, (1,), generator=self.g)) / 4

    def span(self, cat, name, ts, dur, **args):
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "args": args}
        )

    def launch(self, low, high, *, cat="kernel", stream=7, call="cudaLaunchKernel", known=True):
        """Queue work of `low` to `high` us; the CPU goes on after a few us."""
        cost = self.dice(2, 5)
        self.number += 1
        self.span("cpu_op", "aten::op", self.now - 1, cost + 2)
        if known:
            driver = call.startswith("cuL")
            kind = "cuda_driver" if driver else "cuda_runtime"
            self.span(kind, call, self.now, cost, correlation=self.number)
        start = max(self.now + cost + 1, self.free[stream])
        took = self.dice(low, high)
        self.span(cat, "some_kernel<float>", start, took, correlation=self.number, stream=stream)
        self.free[stream] = start + took
        self.now += cost + self.dice(1, 4)

    def wait(self, name="cudaStreamSynchronize"):
        """Let the CPU wait until the GPU has done everything."""
        end = max(self.now + 1, *self.free.values())
        self.span("cpu_op", "aten::_local_scalar_dense", self.now, end - self.now + 2)
        kind = "cuda_runtime" if name.startswith("cuda") else "cuda_driver"
        self.span(kind, name, self.now + 1, end - self.now, correlation=0)
        self.now = end + self.dice(3, 9)

    def text(self):
        """The trace as a text, with its events in another order and other kinds between them."""
        order = torch.randperm(len(self.events), generator=self.g).tolist()
        others = [
            {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}},
            {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1001, "ts": self.now, "pid": 0},
            {"ph": "i", "name": "Iteration Start", "ts": self.now, "pid": 0, "s": "g"},
        ]
        mixed = [self.events[k] for k in order]
        mixed[len(mixed) // 2 : len(mixed) // 2] = others
        return json.dumps({"schemaVersion": 1, "traceEvents": mixed})


def told(*steps):
    """A case whose writer takes these steps, each a function of the writer."""

    def make(g):
        writer = Writer(g)
        for step in steps:
            step(writer)
        return (writer.text(),)

    return make


def kernels(count, low, high, **options):
    def step(writer):
        for _ in range(count):
            writer.launch(low, high, **options)

    return step


def wait(name="cudaStreamSynchronize"):
    return lambda writer: writer.wait(name)


def both_streams(writer):
    """A long kernel in one stream, short ones inside it in the other."""
    writer.launch(300, 400, stream=13)
    for _ in range(4):
        writer.launch(2, 6)
    writer.wait("cudaDeviceSynchronize")
    writer.launch(5, 9)


def by_dice(writer):
    for _ in range(60):
        stream = 7 if writer.dice(0, 3) < 2 else 13
        cat = ("kernel", "kernel", "kernel", "gpu_memcpy", "gpu_memset")[int(writer.dice(0, 4))]
        writer.launch(1, 40, cat=cat, stream=stream, known=writer.dice(0, 9) > 1)
        if writer.dice(0, 9) < 1:
            writer.wait()


def recorded(name):
    return lambda g: (
        json.dumps({"traceEvents": recorded_trace(name).chrome()["traceEvents"][:500]}),
    )


CASES = (
    Case("one kernel", told(kernels(1, 20, 30))),
    Case("three kernels, one after another", told(kernels(3, 50, 60))),
    Case("short kernels, the GPU waits for the CPU", told(kernels(12, 1, 2))),
    Case("long kernels, the queue fills", told(kernels(12, 60, 90))),
    Case("a wait after each kernel", told(*(kernels(1, 20, 40), wait()) * 6)),
    Case("a wait for the whole device", told(kernels(5, 30, 60), wait("cudaDeviceSynchronize"))),
    Case("copies and fills", told(
        kernels(2, 5, 9, cat="gpu_memcpy", call="cudaMemcpyAsync"), kernels(3, 10, 20),
        kernels(1, 1, 2, cat="gpu_memset", call="cudaMemsetAsync"), wait())),
    Case("kernels of Triton", told(kernels(6, 10, 20, call="cuLaunchKernel"), wait())),
    Case("short kernels inside a long one", told(both_streams)),
    Case("launches from before the recording", told(
        kernels(3, 40, 50, known=False), kernels(4, 5, 10), wait())),
    Case("a call with a suffix, a region of that name", told(
        kernels(3, 40, 50), wait("cudaStreamSynchronize_ptsz"), kernels(2, 20, 30),
        wait("cudaEventSynchronize"), kernels(1, 20, 30), wait("cuCtxSynchronize"),
        lambda w: w.span("user_annotation", "Synchronize gradients", w.now, 30.25))),
    Case("no GPU at all", told(lambda w: w.span("cpu_op", "aten::mm", w.now, 20.5))),
    Case("a wait for nothing", told(wait("cudaDeviceSynchronize"))),
    Case("sixty by dice", told(by_dice)),
    Case("sixty more by dice", told(by_dice)),
    Case("the beginning of the recorded trace", recorded("as found")),
)  # fmt: skip
