"""`tutor check` as a process: calls that are wrong, machines that lack something, broken pipes."""

import json
import os
import subprocess
import sys
import threading

import pytest
import torch
from judging import RIGHT, entry, python_path, tutor

from tutor.judge.processes.wire import pair


@pytest.fixture
def right(tmp_path):
    path = tmp_path / "right.py"
    path.write_text(RIGHT)
    return path


def one_line(data: bytes) -> str:
    """The sentence on stderr, the only one."""
    text = data.decode()
    assert text.startswith("tutor: "), text
    assert text.count("\n") == 1, text
    return text


def check(*words, **options):
    return tutor("check", *map(str, words), **options)


# --- the call is wrong: 2 -----------------------------------------------------------------------------


def test_an_unknown_exercise_names_close_ones(right):
    done = check("vector_ad", right)
    assert done.returncode == 2
    assert "vector_add" in one_line(done.stderr)
    assert done.stdout == b""


def test_no_argument_at_all():
    done = check()
    assert done.returncode == 2
    assert "SLUG" in one_line(done.stderr)


FILES = {
    "missing": (None, "does not exist"),
    "not UTF-8": (b"# \xff\n", "UTF-8"),
    "UTF-16": (RIGHT.encode("utf-16"), "UTF-8"),
    "larger than 1 MiB": (b"#" * (10 << 20), "1 MiB"),
}


@pytest.mark.parametrize(("data", "word"), FILES.values(), ids=FILES.keys())
def test_a_file_that_cannot_be_read_is_named(tmp_path, data, word):
    path = tmp_path / "mine.py"
    if data is not None:
        path.write_bytes(data)
    done = check("vector_add", path, "--json")
    assert done.returncode == 2
    said = one_line(done.stderr)
    assert word in said
    assert str(path) in said
    assert done.stdout == b""


@pytest.mark.parametrize("path", ["/", "/dev/zero", "/proc/self/mem"])
def test_what_is_no_file_is_refused(path):
    done = check("vector_add", path, timeout=20)
    assert done.returncode == 2
    assert path in one_line(done.stderr)


@pytest.mark.slow
def test_options_that_do_not_exist(right):
    assert check("vector_add", right, "--device", "tpu").returncode == 2
    assert check("vector_add", right, "--runner", "moon").returncode == 2
    assert check("vector_add", right, "--seed", "-1").returncode == 2


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_judged(right, tmp_path):
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "TUTOR_HOME": str(tmp_path / "file" / "home")}
    done = check("vector_add", right, "--no-timing", env=environment)
    assert done.returncode == 2
    assert "TUTOR_HOME" in one_line(done.stderr)
    assert done.stdout == b""


# --- the answer: 0 and 1 ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_right_and_a_wrong_file_with_one_json_value_each(right, tmp_path):
    """Both at once, to save a start: the second also has a text that no encoding likes."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text(entry("raise ValueError('[/red] \\ud800 \\0 kernel[grid](x)')"))
    bom = tmp_path / "bom.py"
    bom.write_bytes(b"\xef\xbb\xbf" + RIGHT.replace("\n", "\r\n").encode())
    results: dict[str, subprocess.CompletedProcess[bytes]] = {}
    threads = [
        threading.Thread(
            target=lambda p=p: results.update({p.stem: check("vector_add", p, "--json")})
        )
        for p in (wrong, bom)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["bom"].returncode == 0, results["bom"].stderr
    passed = json.loads(results["bom"].stdout)
    assert passed["passed"] is True
    gpu = torch.cuda.is_available()
    assert passed["device"].startswith("cuda: " if gpu else "cpu-interpreter")
    assert results["wrong"].returncode == 1, results["wrong"].stderr
    (finding,) = json.loads(results["wrong"].stdout)["diagnosis"]
    assert finding["code"] == "crash"
    assert "[/red] \\ud800 \0 kernel[grid](x)" in finding["message"]


@pytest.mark.slow
def test_lines_for_people_and_stdin_closed(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(entry("raise ValueError('[/red] kernel[grid](x)')"))
    done = check("vector_add", path, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.close(0))
    assert done.returncode == 1
    assert b"[/red] kernel[grid](x)" in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_leaves_ends_the_program_quietly(right, mark):
    process = subprocess.Popen(
        [sys.executable, "-m", "tutor", "check", "vector_add", right, "--no-timing", "--cold"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": python_path(os.environ)},
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=120)
    assert process.returncode != 0
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors


# --- this machine cannot: 3 ---------------------------------------------------------------------------


@pytest.mark.slow
def test_no_gpu_here(right):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one here")
    done = check("vector_add", right, "--device", "cuda")
    assert done.returncode == 3
    assert "GPU" in one_line(done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("package", ["torch", "numpy", "triton"])
def test_a_package_that_is_not_installed_is_named(right, tmp_path, package, mark):
    """A folder before site-packages in which importing the package fails as if it were not there."""
    absent = tmp_path / "absent" / package
    absent.mkdir(parents=True)
    (absent / "__init__.py").write_text(
        f"raise ModuleNotFoundError(\"No module named '{package}'\", name='{package}')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(absent.parent)}
    done = check("vector_add", right, "--json", "--cold", env=environment)
    assert done.returncode == 3
    assert f"{package} is not installed" in one_line(done.stderr)
    assert done.stdout == b""


# --- files that do not become a module ----------------------------------------------------------------


def test_sockets_keep_clear_of_the_standard_streams():
    """In a process without standard streams the next descriptors would be 0, 1 and 2."""
    code = (
        "import os\nfrom tutor.judge.processes.wire import pair\nos.closerange(0, 3)\n"
        "numbers = [c.fileno() for c in pair()]\nos._exit(0 if min(numbers) > 2 else 1)\n"
    )
    environment = {**os.environ, "PYTHONPATH": python_path(os.environ)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
    assert all(channel.fileno() > 2 for channel in pair())
