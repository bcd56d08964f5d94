"""The process that compute-sanitizer runs: one call of the learner's function on one case's inputs,
on the GPU.

Started as `python -m tutor.judge.sanitizer.case_process FILE ENDED`. The first file holds a
`SanitizedCall`; the second is made when the call has ended. Nothing is judged here, so the reference
may be in the learner's process: it only makes the inputs.
"""

import sys
from pathlib import Path

import msgspec
import torch

from tutor.judge.cases import reference
from tutor.judge.processes import learner_module, process_control
from tutor.judge.sanitizer.compute_sanitizer import SanitizedCall


def main() -> None:
    """Call the learner's function on the largest case. Exits with the error's text if it cannot be
    loaded; the file `argv[2]` is made once the call has ended."""
    call = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=SanitizedCall)
    process_control.no_core_files()
    process_control.limit_tasks()
    made = [
        reference.make_inputs(case, call.seed, "cuda")
        for case in reference.load_reference(Path(call.reference)).cases
    ]
    args = max(made, key=_elements)
    del made
    torch.cuda.synchronize()
    try:
        module = learner_module.load_module(call.source, call.filename)
        entry = learner_module.find_entry(module, call.entry)
    except learner_module.Unloadable as error:
        sys.exit(error.report.message)
    entry(*args)
    torch.cuda.synchronize()
    Path(sys.argv[2]).touch()


def _elements(args: reference.Args) -> int:
    return sum(a.numel() for a in args if isinstance(a, torch.Tensor))


if __name__ == "__main__":
    main()
