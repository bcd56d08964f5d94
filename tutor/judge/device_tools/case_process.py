"""The process that a tool of NVIDIA's runs: one call of the learner's function on one case's inputs,
on the GPU.

Started as `python -m tutor.judge.device_tools.case_process FILE ENDED`. The first file holds a
`DeviceCall`; the second gets the case's name when the call has ended. Nothing is judged here, so the
reference may be in the learner's process: it only makes the inputs.
"""

import sys
from pathlib import Path

import msgspec
import torch

from tutor.judge.cases import reference
from tutor.judge.device_tools.device_call import DeviceCall
from tutor.judge.processes import learner_module, process_control


def main() -> None:
    """Call the learner's function on the largest case. Exits with the error's text if it cannot be
    loaded; the file `argv[2]` gets the case's name once the call has ended."""
    call = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=DeviceCall)
    process_control.no_core_files()
    process_control.limit_tasks()
    cases = reference.load_reference(Path(call.reference)).cases
    made = [(case.name, reference.make_inputs(case, call.seed, "cuda")) for case in cases]
    name, args = max(made, key=lambda each: _elements(each[1]))
    del made
    torch.cuda.synchronize()
    try:
        module = learner_module.load_module(call.source, call.filename)
        entry = learner_module.find_entry(module, call.entry)
    except learner_module.Unloadable as error:
        sys.exit(error.report.message)
    entry(*args)
    torch.cuda.synchronize()
    Path(sys.argv[2]).write_text(name, encoding="utf-8")


def _elements(args: reference.Args) -> int:
    return sum(a.numel() for a in args if isinstance(a, torch.Tensor))


if __name__ == "__main__":
    main()
