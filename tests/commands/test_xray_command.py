"""`tutor xray`: real processes, from the command line to the machine code."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judging import template_of
from msgspec import msgpack

from tutor.base import paths
from tutor.base.errors import MissingInputs, UsageError
from tutor.judge import xray_relay
from tutor.judge.client import Judge, environment
from tutor.judge.processes import learner_module
from tutor.judge.processes.wire import pair
from tutor.xray import engine
from tutor.xray.model.compiler import INDUCTOR, Compiler
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Link, Request, Stage, Xray, XrayDone

KERNELS = Path(__file__).parents[1] / "xray" / "xray_kernels.py"
ADD = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")

FUNCTIONS = """
import torch


def q3(x, W):
    y = x @ W
    y = y + 1
    y = torch.relu(y)
    y = y * 0.5
    return y.sum()


def chain(x):
    return torch.sigmoid(torch.relu(x * 2 + 1) - 3)


def raises(x):
    y = x + 1
    raise ValueError("not today")


class Model(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.inner = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.inner(x).relu()


class Sized(Model):
    def __init__(self, width):
        super().__init__(width)
"""


def tutor(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tutor", "xray", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
        **more,
    )


def inputs(*specs: str) -> list[str]:
    return [word for spec in specs for word in ("--input", spec)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("functions") / "functions.py"
    path.write_text(FUNCTIONS, "utf-8")
    return path


@pytest.mark.slow
def test_a_kernel_as_json_is_one_value_that_reads_back() -> None:
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(done.stdout)
    found = Xray.from_json(value)
    assert found.to_json() == value
    assert (found.target, found.failures) == ("sm_90", ())
    assert found.device in ("pretend", "real")
    assert [s.name for s in found.stages] == ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
    assert {link.source for link in found.links} == {
        f"{name}:add" for name in ("triton", "ttir", "ttgir", "llir", "ptx")
    }
    assert {"name", "title", "language", "text", "notes", "ms"} <= value["stages"][0].keys()


@pytest.mark.slow
def test_a_functions_whole_way(file: Path) -> None:
    """Day 28: a sum over a whole product is split: one kernel for each part, one for their sum."""
    done = tutor(f"{file}::q3", *inputs("f32[1024,1024]", "f32[1024,1024]"), "--json")
    assert done.returncode == 0, done.stderr
    found = Xray.from_json(json.loads(done.stdout))
    assert found.failures == ()
    names = [stage.name for stage in found.stages]
    assert list(dict.fromkeys(names))[:3] == ["source", "bytecode", "dynamo"]
    assert set(names) == set(INDUCTOR.names) - {"joint", "backward", "amdgcn", "passes"}
    kernels = [stage.kernel for stage in found.stages if stage.name == "triton"]
    assert [kernel.split("_")[1] for kernel in kernels] == ["red", "per"]
    assert names[-12:] == 2 * ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
    for kernel in kernels:
        assert [s.name for s in found.stages if s.kernel == kernel] == [
            "triton",
            "ttir",
            "ttgir",
            "llir",
            "ptx",
            "sass",
        ]
    keys = {stage.key: stage.text.count("\n") + 1 for stage in found.stages}
    for link in found.links:
        assert 1 <= link.source_line <= keys[link.source]
        assert 1 <= link.target_line <= keys[link.target]


@pytest.mark.slow
def test_a_stage_alone_is_printed_and_what_failed_is_said() -> None:
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--stage", "ptx", "--target", "H100")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ld.global.v4.b32" in done.stdout
    assert "tt.load" not in done.stdout
    done = tutor(f"{KERNELS}::broken", *inputs("f32[64]", "64"))
    assert done.returncode == 1
    assert "undefined_name" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "`undefined_name` is used in the kernel but nothing defines it" in line


@pytest.mark.slow
def test_a_kernel_without_a_pass_stands_beside_the_whole_one() -> None:
    """Plain: counts side by side, then the difference; as JSON: the rows, with the texts that differ."""
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--without", "coalesce")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    at = next(i for i, words in enumerate(lines) if words[:1] == ["nothing"])
    assert lines[at][2:4] == ["128", "0"]
    assert lines[at + 1 : at + 3][0] == ["ttgir:"]
    assert lines[at + 2][0] == "coalesce"
    assert lines[at + 2][2] == "32"
    assert "\nttgir: - without coalesce, + with it\n" in done.stdout
    assert re.search(r"^- #blocked = .*sizePerThread = \[1\]", done.stdout, re.MULTILINE)
    assert re.search(r"^\+ #blocked = .*sizePerThread = \[4\]", done.stdout, re.MULTILINE)
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--without", "coalesce", "--json")
    value = json.loads(done.stdout)
    found = Xray.from_json(value)
    assert found.to_json() == value
    whole, row = found.omissions
    assert (whole.name, row.name, row.changed[-1]) == ("", "coalesce", "sass")
    assert "LDG.E.128" not in dict(row.texts)["sass"]
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--without", "coalesce", "--stage", "sass")
    assert "\nsass: - without coalesce, + with it\n" in done.stdout
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--without", "coalesce_all")
    assert done.returncode == 2
    assert "near it: coalesce" in done.stderr


@pytest.mark.slow
def test_a_function_without_a_kernel_says_so(tmp_path: Path) -> None:
    file = tmp_path / "product.py"
    file.write_text("def product(a, b):\n    return a @ b\n", encoding="utf-8")
    done = tutor(f"{file}::product", *inputs("f32[64,64]", "f32[64,64]"), "--without", "all")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "tutor: product becomes no Triton kernel\n"


@pytest.mark.slow
def test_lanes_are_told_as_lines_and_as_bases() -> None:
    done = tutor(f"{KERNELS}::add", *inputs(*ADD), "--lanes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1024 i32 #blocked\n  4 warps of 32 lanes, 8 registers a thread\n" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("[0]"))
    assert row.split()[1:] == [f"0:{lane}" for lane in range(4) for _ in range(4)]
    assert "warp 0, lane 0 holds [0] [1] [2] [3] [512] [513] [514] [515]" in done.stdout
    value = json.loads(tutor(f"{KERNELS}::add", *inputs(*ADD), "--lanes", "--json").stdout)
    tile = value["lanes"]["add"][0]["tiles"][0]
    assert tile["bases"]["register"] == [[1], [2], [512]]
    assert tile["bases"]["warp"] == [[128], [256]]
    assert value["stages"][-1]["name"] == "ttgir"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{kernels}::add", "--lanes", "--stage", "ptx"], "--lanes tells of the stage ttgir"),
        (["{kernels}::add", "--without", "cse", "--passes"], "--without stands alone"),
        (["{kernels}"], "names no function: write FILE::NAME"),
        (["nowhere.py::f"], "nowhere.py does not exist"),
        (["nowhere.py"], "nowhere.py does not exist; write FILE::NAME"),
        (["{kernels}::add", "--input", "f99[3]"], "no dtype f99"),
        (["{kernels}::add", *inputs(*ADD), "--log", "layouts"], "there is no log 'layouts'"),
        (["{kernels}::add", *inputs(*ADD), "--again", "f99[3]"], "no dtype f99"),
        (["{kernels}::add", *inputs(*ADD), "--log", "all"], "torch.compile has no log"),
        (["{kernels}::add", "--target", "sm_1"], "no target 'sm_1'"),
        (["{kernels}::add", *inputs(*ADD), "--stage", "assembly"], "there is no stage 'assembly'"),
        (["{kernels}::add", *inputs(*ADD), "--stage", "amdgcn"], "sm_90 has no stage amdgcn"),
        (["{kernels}::add", *inputs(*ADD), "--stage", "joint"], "its first stage is triton"),
        (["{kernels}::nothing"], "xray_kernels.py defines no 'nothing'; it defines add, "),
        (["{kernels}::NOT_A_KERNEL"], "NOT_A_KERNEL is of type int"),
        (["{kernels}::add", *inputs("f32[8]")], "add needs a value for y_ptr"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_status_2(arguments: list[str], says: str) -> None:
    done = tutor(*(word.format(kernels=KERNELS) for word in arguments), "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    assert says in done.stderr


# --- the engine, in this process ------------------------------------------------------------------


def looked(name: str, specs: tuple[str, ...], stage: str | None) -> tuple[XrayDone, list[Event]]:
    events: list[Event] = []
    request = Request("/functions.py", name, parse_inputs(specs), "sm_90", stage, False, FUNCTIONS)
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    return done, events


@pytest.mark.slow
def test_a_reproduction_that_cannot_be_written_is_status_2(tmp_path: Path) -> None:
    taken = tmp_path / "taken.py"
    taken.write_text("mine")
    call = (f"{KERNELS}::add", *inputs(*ADD), "--stage", "triton", "--repro")
    done = tutor(*call, str(taken))
    assert (done.returncode, taken.read_text()) == (2, "mine")
    assert done.stderr == f"tutor: {taken} exists already; name another file\n"
    done = tutor(*call, str(taken / "below.py"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"tutor: cannot write {taken}/below.py: ")


def test_nothing_comes_after_the_stage_that_was_wanted() -> None:
    done, events = looked("chain", ("f32[64]",), "guards")
    assert done.status == 0
    stages = [event.key for event in events if isinstance(event, Stage)]
    assert stages[:3] == ["source", "bytecode", "dynamo"]
    assert stages[-1] == "guards" or stages[-1].startswith("bytecode")
    assert not [e for e in events if isinstance(e, Link) and e.target.startswith("forward")]


def test_a_function_that_raises_shows_what_came_before() -> None:
    done, events = looked("raises", ("f32[8]",), None)
    assert done.status == 1
    assert {"source", "bytecode"} <= {e.name for e in events if isinstance(e, Stage)}
    (failure,) = [event for event in events if isinstance(event, Failure)]
    assert "not today" in failure.sentence


@pytest.mark.slow
def test_the_logs_that_were_asked_for_come_last() -> None:
    request = Request(
        "/functions.py",
        "chain",
        parse_inputs(("f32[64]",)),
        "sm_90",
        None,
        False,
        FUNCTIONS,
        logs=("fusion", "graph_breaks"),
        again=(parse_inputs(("f32[65]",)), parse_inputs(("f32[66]",))),
    )
    assert msgpack.decode(msgpack.encode(request), type=Request) == request
    events: list[Event] = []
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    stages = {event.key: event for event in events if isinstance(event, Stage)}
    assert done.status == 0
    assert list(stages)[-3:] == ["log:graph_breaks", "log:recompiles", "log:fusion"]
    assert stages["log:graph_breaks"].text == "No graph break."
    first, second, third = stages["log:recompiles"].text.splitlines()
    assert first == "call 1, float32[64]: compiled 1 graph"
    assert second.startswith(
        "call 2, float32[65]: compiled 1 graph because tensor 'x' size mismatch"
    )
    assert third == "call 3, float32[66]: used what was compiled before"
    assert dict(stages["log:recompiles"].counts) == {
        "calls": 3,
        "compilations": 2,
        "recompilations": 1,
    }
    in_order = xray_relay.collect_xray("sm_90", None, events).stages
    assert [stage.key for stage in in_order][-3:] == list(stages)[-3:]


@pytest.mark.slow
def test_a_screen_gets_what_was_said_and_no_silence() -> None:
    _, events = looked("chain", ("f32[64]",), None)
    said = [event.kernel for event in events if isinstance(event, Stage) and event.name == "log"]
    assert said == ["guards", "graph_code", "aot_graphs", "fusion", "schedule", "output_code"]
    _, events = looked("chain", ("f32[64]",), "ptx")
    assert not [event for event in events if isinstance(event, Stage) and event.name == "log"]


@pytest.mark.slow
def test_torch_logs_in_the_environment_costs_a_screen_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "guards")
    done, events = looked("chain", ("f32[64]",), None)
    assert done.status == 0
    assert not [event for event in events if isinstance(event, Failure)]


def test_a_modules_class_is_made_where_it_can_be() -> None:
    done, events = looked("Model", ("f32[4,8]",), "dynamo")
    assert done.status == 0
    assert any("relu" in e.text for e in events if isinstance(e, Stage) and e.name == "dynamo")
    with pytest.raises(UsageError, match="Sized is a class whose instances need arguments"):
        looked("Sized", ("f32[4,8]",), "dynamo")


def test_inputs_must_fit_the_functions_parameters() -> None:
    with pytest.raises(
        UsageError, match=r"chain\(x\) cannot be called with the inputs given"
    ) as said:
        looked("chain", ("f32[8]", "f32[8]"), None)
    assert not isinstance(said.value, MissingInputs)
    with pytest.raises(MissingInputs, match=r"chain\(x\) cannot be called with the inputs given"):
        looked("chain", (), None)


@pytest.mark.slow
def test_a_call_without_inputs_says_how_they_are_given(file: Path) -> None:
    ended = tutor(f"{file}::chain")
    assert ended.returncode == 2
    assert "missing a required argument: 'x'. Give --input once for each" in ended.stderr


# --- the worker -----------------------------------------------------------------------------------


def looked_at(request: Request, on_event: Callable[[Event], object]) -> XrayDone:
    with Judge(paths.course_root()) as judge:
        for event in judge.xray(request):
            if isinstance(event, XrayDone):
                return event
            on_event(event)
    raise AssertionError("the X-ray has no end")


def seen(source: str, name: str = "f", specs: tuple[str, ...] = ()) -> tuple[int, list[Event]]:
    events: list[Event] = []
    request = Request(
        "/nowhere/learner.py", name, parse_inputs(specs), "sm_90", None, False, source
    )
    return looked_at(request, events.append).status, events


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def f(:\n", "Python cannot read the file"),
        ("import nothing_of_the_kind\n", "no module `nothing_of_the_kind`"),
        ("raise SystemExit\n", "ended the program"),
        ("import os\nos._exit(3)\n", "left with exit status 3"),
        ("while True:\n    print('x' * 10_000)\n", "more than 1024 KiB printed"),
        ("x = bytearray(64 << 30)\n", "More memory was asked for|more than 6 GiB in use"),
        ("a\0b\n", "NUL bytes"),
    ],
)
def test_a_file_that_misbehaves_is_one_failure(source: str, says: str) -> None:
    status, events = seen(source)
    assert status == 1
    (failure,) = events
    assert isinstance(failure, Failure)
    assert re.search(says, failure.sentence)  # a GPU's driver allows no limit of addresses
    assert "\n" not in failure.sentence


def test_a_package_that_a_compiler_needs_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explain = engine._naming_packages(str)
    monkeypatch.setattr(Compiler, "is_here", lambda _: False)
    missing = ModuleNotFoundError("No tvm.", name="tvm.relax")
    assert explain(missing).startswith("No tvm. TVM is not installed here: python -m pip install ")
    assert explain(ModuleNotFoundError("No such.", name="such")) == "No such."
    monkeypatch.setattr(Compiler, "is_here", lambda _: True)
    assert explain(missing) == "No tvm."


@pytest.mark.slow
def test_a_file_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xray_relay, "SECONDS", 1.0)
    request = Request("/l.py", "f", (), "sm_90", None, False, "while True:\n    pass\n")
    parts: list[xray_relay.XrayPart] = []
    silent, caller = pair()
    started = time.monotonic()
    with template_of("xray", 0) as template:
        done = xray_relay.run_xray(template.take(), request, caller, parts.append)
    assert (done.status, time.monotonic() - started < 30) == (1, True)
    (stopped,) = parts
    assert isinstance(stopped, Failure)
    assert "not finished after 1 s" in stopped.sentence
    silent.close()
    caller.close()


def test_the_learners_own_folder_is_found_last(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("BLOCK = 64\n", "utf-8")
    (tmp_path / "triton.py").write_text("raise RuntimeError('not this one')\n", "utf-8")
    source = (
        "import triton\nimport triton.language as tl\nfrom sizes import BLOCK\n\n@triton.jit\n"
        "def f(x, B: tl.constexpr = BLOCK):\n    tl.store(x + tl.arange(0, B), 0.0)\n"
    )
    events: list[Event] = []
    path = str(tmp_path / "learner.py")
    request = Request(path, "f", parse_inputs(("f32[64]",)), "sm_80", "ttir", False, source)
    assert looked_at(request, events.append).status == 0
    assert [e.name for e in events if isinstance(e, Stage)] == ["triton", "ttir"]


@pytest.mark.slow
def test_stages_come_as_they_are_found() -> None:
    """The first one is there before the last is made."""
    came: list[tuple[str, float]] = []
    request = Request(
        str(KERNELS),
        "matmul",
        parse_inputs(("f16[64,64]",) * 3 + ("64", "64", "64")),
        "sm_90",
        None,
        False,
        KERNELS.read_text("utf-8"),
    )
    links: list[Link] = []

    def note(event: Event) -> None:
        if isinstance(event, Stage):
            came.append((event.name, time.monotonic()))
        elif isinstance(event, Link):
            links.append(event)

    assert looked_at(request, note).status == 0
    assert [name for name, _ in came] == ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
    assert came[-1][1] - came[0][1] > 0.1
    assert links


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"learner.py defines no 'g'; it defines f"):
        seen("def f():\n    pass\n", "g")


def test_processes_are_gone_afterwards() -> None:
    mark = f"TUTOR_XRAY_{os.getpid()}"
    with pytest.raises(UsageError, match="defines no 'f'"):
        seen(f"import subprocess\nsubprocess.Popen(['sleep', '297'], env={{'M': '{mark}'}})\n")
    deadline = time.monotonic() + 5
    while (left := _with(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def _with(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found
