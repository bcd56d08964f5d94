"""A verdict in plain lines, for pipes, logs and screen readers. Pure."""

from tutor.judge.verdict import CaseResult, Sample, Verdict

_MAX_PRINTED = 4_000  # characters of what the learner's code printed
_MAX_GUARDS = 12


def lines(verdict: Verdict) -> list[str]:
    """Everything below the cases: the sentence, causes, timing, what was printed."""
    out = ["", headline(verdict)]
    for finding in verdict.diagnosis:
        out.append(f"  {finding.code}: {finding.message}")
        if finding.detail and finding is verdict.diagnosis[0]:
            out += [f"    | {line}" for line in finding.detail.strip().splitlines()[-12:]]
    out += _graph(verdict) + _timing(verdict) + _resources(verdict)
    if verdict.output:
        out += ["", "It printed:", verdict.output[:_MAX_PRINTED].rstrip()]
    return out


def headline(verdict: Verdict) -> str:
    took = verdict.latency_ms.total / 1e3 if verdict.latency_ms else 0.0
    right = sum(case.passed for case in verdict.cases)
    if verdict.passed:
        checked = " Checked in the interpreter, not timed." if not verdict.timing else ""
        if verdict.device != "cpu-interpreter":
            checked = ""
        return f"Right on {right} cases ({verdict.device}, {took:.2f} s).{checked}"
    return (
        f"Wrong: {right} of {len(verdict.cases)} cases are right ({verdict.device}, {took:.2f} s)."
    )


def case_line(case: CaseResult) -> str:
    mark = "right" if case.passed else "WRONG"
    text = f"{mark}  {case.name}  {case.inputs}"
    if case.max_abs_err is not None:
        text += f"  error {case.max_abs_err:.2g}, allowed {case.bound:.2g}"
    if case.mismatch:
        m = case.mismatch
        text += (
            f"\n       first wrong element {list(m.index)}: got {m.got}, want {m.want}; "
            f"{m.count} of {m.total} wrong"
        )
    return text + (f"  ({case.note})" if case.note else "")


def sample(each: Sample) -> str:
    low, high = each.ci95_ms
    return f"{each.median_ms:.4g} ms, 95 % between {low:.4g} and {high:.4g}, {each.samples} samples"


def _timing(verdict: Verdict) -> list[str]:
    timing = verdict.timing
    if timing is None:
        return []
    rows = [("yours", timing.learner), ("eager", timing.eager), ("compiled", timing.compiled)]
    out = ["", *(f"  {name:9} {sample(each)}" for name, each in rows if each)]
    if timing.roofline:
        r = timing.roofline
        out.append(
            f"  limit     {r.limit_ms:.4g} ms ({r.bound}-bound; {r.peak}): "
            f"{r.fraction:.0%} of it reached"
        )
    if timing.note:
        out.append(f"  {timing.note}")
    return out


def _graph(verdict: Verdict) -> list[str]:
    graph = verdict.graph
    if graph is None:
        return []
    kernels = "" if graph.kernels is None else f", {graph.kernels} kernels generated"
    compiled = f", {graph.compilations} compilations, {graph.recompiles} needless"
    if not graph.compilations:  # it breaks, so the cases ran in eager mode
        compiled = ""
    return [
        f"  {graph.graphs} graphs, {len(graph.breaks)} breaks{compiled}{kernels}",
        *(
            f"    compiled again because this failed: {guard}"
            for guard in graph.guards[:_MAX_GUARDS]
        ),
    ]


def _resources(verdict: Verdict) -> list[str]:
    r = verdict.resources
    if not r:
        return []
    return [
        f"  {r['target']}: {r['registers']} registers, {r['spills']} spills, "
        f"{r['shared_bytes']} B shared memory"
    ]
