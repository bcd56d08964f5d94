"""Files that name a GPU load without one, and functions that launch show what they launch."""

from pathlib import Path

import pytest
import torch
from running import TRITON, run

from tutor.base.errors import UsageError
from tutor.hardware import gpus, presence
from tutor.judge.processes import learner_module
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Link, Request, Stage
from tutor.xray.triton_kernels import file_loader

FILE = Path(__file__).with_name("published.py")
VECTOR = "f32[4096]"


@pytest.mark.skipif(presence.has_nvidia(), reason="a GPU answers")
def test_an_imported_module_may_ask_for_the_gpu() -> None:
    shown = run(FILE.with_name("imports_kernels.py"), "doubled", VECTOR, stage="triton")
    assert (shown.status, shown.failures) == (0, ())
    assert "triton:doubled" in shown.stages
    assert "The call ended" not in "".join(shown.notes(key) for key in shown.stages)


@pytest.mark.skipif(presence.has_nvidia(), reason="a GPU answers")
def test_an_imported_module_may_ask_quietly_whether_there_is_one() -> None:
    shown = run(FILE.with_name("imports_cores.py"), "launch", VECTOR, stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    assert "132 : i32" in shown.stages["ttir:fill"].text, "as many as the target has"
    assert "The call ended" not in "".join(shown.notes(key) for key in shown.stages)


@pytest.mark.skipif(presence.has_nvidia(), reason="a GPU answers")
def test_a_question_that_a_module_keeps_is_answered_for_this_machine_later() -> None:
    space = {"__name__": "keeps"}
    with file_loader.loading_on(gpus.target("sm_90"), "import torch\nimport triton") as loading:
        exec("from torch.cuda import is_available", space)
        assert not loading.pretended
        assert eval("is_available()", space)
        assert loading.pretended
        assert torch.ones(1).is_cuda
    assert not eval("is_available()", space)
    assert not torch.cuda.is_available()
    assert not torch.ones(1).is_cuda


def look(name: str, *inputs: str, stage: str = "triton", target: str = "sm_90") -> list[Event]:
    events: list[Event] = []
    request = Request(str(FILE), name, parse_inputs(inputs), target, stage, False)
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    assert done.status == 0, events
    return events


without_gpu = pytest.mark.skipif(
    presence.has_nvidia(), reason="with a GPU the file runs to its end"
)


def stages(events: list[Event]) -> dict[str, Stage]:
    assert not [event for event in events if isinstance(event, Failure)], events
    return {event.key: event for event in events if isinstance(event, Stage)}


@without_gpu
def test_a_published_kernel_loads_and_where_loading_ended_is_said() -> None:
    found = stages(look("add_kernel", VECTOR, VECTOR, VECTOR, "4096", "BLOCK=256", stage="ttir"))
    assert list(found) == ["triton:add_kernel", "ttir:add_kernel"]
    assert found["triton:add_kernel"].notes[-1].startswith("Loaded as far as it goes without a GPU")
    assert not torch.ones(1).is_cuda  # nothing is pretended any more


def test_each_specialization_is_listed() -> None:
    found = stages(look("add", VECTOR, VECTOR, stage="ttir"))
    assert {"ttir:add_kernel", "ttir:add_kernel@2"} < set(found)
    assert "ttir:add_kernel@3" not in found
    assert "BLOCK=64" in found["triton:add_kernel@2"].notes[0]
    assert "tensor<64x" in found["ttir:add_kernel@2"].text


def test_a_line_that_launches_is_tied_to_its_kernel() -> None:
    events = look("add", VECTOR, VECTOR, stage="ttir")
    found = stages(events)
    source = found["source"].text.split("\n")
    tied = {
        (source[link.source_line - 1].strip()[:60], link.target, link.target_line)
        for link in events
        if isinstance(link, Link) and link.target.startswith("triton:")
    }
    assert tied == {
        (
            "add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024"[:60],
            "triton:add_kernel",
            2,
        ),
        (
            "add_kernel[(triton.cdiv(n, 64),)](x, y, out, n, BLOCK=64)"[:60],
            "triton:add_kernel@2",
            2,
        ),
    }


def test_a_kernel_that_is_warmed_up_first() -> None:
    assert "triton:add_kernel" in stages(look("warmed", VECTOR, VECTOR))


@without_gpu
def test_a_call_that_compares_its_result_shows_its_launches() -> None:
    found = stages(look("early", VECTOR, stage="ttir"))
    assert "asin" in found["ttir:copied"].text
    wait = "griddepcontrol.wait" if TRITON < (3, 9) else "tt.grid_dependency_wait"
    assert wait in found["ttir:copied"].text
    assert found["source"].notes[-2].startswith("The call ended after these launches")


def test_an_autograd_functions_apply_shows_its_forward() -> None:
    found = stages(look("doubling", VECTOR, VECTOR))
    assert "return add(x, y)" in found["source"].text
    assert "triton:add_kernel@2" in found


def test_a_host_descriptor_gets_the_block_that_its_configuration_sets() -> None:
    found = stages(look("described", "f16[16,32]", stage="ttir"))
    assert "!tt.tensordesc<16x32xf16>" in found["ttir:doubled"].text.replace(
        "tensor<16x32xf16>>", "16x32xf16>"
    )


def test_own_kernels_and_operations_are_both_shown() -> None:
    found = stages(look("mixed", VECTOR, VECTOR))
    assert "triton_kernel_wrapper_mutation" in found["dynamo"].text
    notes = " ".join(found["ir_post_fusion"].notes)
    assert "(triton_kernel_wrapper_mutation): your own Triton kernel, launched as it is" in notes
    relu = next(
        stage for key, stage in found.items() if key.startswith("triton:") and "relu" in key
    )
    assert relu.notes[0].endswith("(relu)."), "not the launches that read it"
    assert "the first is a kernel that you wrote" in notes
    assert "call into a library" not in notes
    kernels = [key for key in found if key.startswith("triton:")]
    assert {"triton:add_kernel", "triton:add_kernel@2"} < set(kernels)
    assert any("softmax" in key for key in kernels)
    assert any("relu" in key for key in kernels)
    wrapper = found["wrapper"]
    launches = dict(wrapper.counts)["launches"]
    assert wrapper.notes[0].startswith(
        f"2 Triton kernels that Inductor wrote and 2 of the function's own in {launches} launches"
    )
    assert launches == 5, "two by Inductor, three by `add`"


@without_gpu
def test_a_name_below_the_end_of_loading_is_not_found() -> None:
    request = Request(str(FILE), "below", parse_inputs((VECTOR,)), "sm_90", "source", False)
    events: list[Event] = []
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=repr)
    assert done.status == 1
    assert isinstance(events[0], Failure)
    assert "import-error" in events[0].sentence
    assert "`below` is defined below that line" in events[0].sentence


@without_gpu
@pytest.mark.parametrize(
    "line", ["from torch import no_such_name", "import no_such_module", "open('/no/such/file')"]
)
def test_what_the_machine_lacks_has_nothing_to_do_with_a_pretended_gpu(
    line: str, tmp_path: Path
) -> None:
    file = tmp_path / "lacks.py"
    file.write_text(
        f"import torch\nx = torch.ones(4, device='cuda')\n{line}\n\ndef twice(x):\n    return x * 2\n"
    )
    shown = run(file, "twice", VECTOR, stage="source")
    (failure,) = shown.failures
    assert "no_such" in failure.sentence or "/no/such/file" in failure.sentence
    assert "line 3" in failure.sentence
    assert "Kernels do not run" not in failure.sentence


def test_a_file_without_triton_is_left_alone() -> None:
    with file_loader.loading_on(gpus.target("sm_90"), "import torch\nx = torch.ones(1)") as loading:
        assert not loading.pretended
        assert not torch.ones(1).is_cuda


def test_a_wrong_target_is_refused_before_anything_is_loaded() -> None:
    with pytest.raises(UsageError, match="no target"):
        look("add", target="sm_1")
