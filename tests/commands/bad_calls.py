"""A soak outside the suite: more than 200 calls that cannot be meant, of every command.

    python tests/commands/bad_calls.py

Each must end with status 0 to 3 (or 70 for none), without a traceback, without a control code, and with
one line on stderr where it is refused. Run it in a machine that may be thrown away: it reads /dev/zero.
Exits with 1 if one call ended otherwise.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ESC = "\x1b]52;c;aGFja2Vk\x07\x1b]0;title\x07\x1b[2J"
BIDI = "\u202eabc\u2066"
WORDS = {"{ESC}": ESC, "{BIDI}": BIDI, "{LONG}": "a/" * 3_000, "{WIDE}": "x" * 100_000}
CALLS = """
lesson | lesson 0 | lesson 71 | lesson -1 | lesson x | lesson 29 | lesson 99999999999999999999
lesson 1 --section 99 | lesson 1 --ask --section 0 | lesson 1 --ask --section -5 | lesson {ESC}
ideas | ideas 0 | ideas 99 | ideas x | search | search '' | search ' ' | search '"'
search a* OR 'NEAR(' | search zzzzqqq | search x --limit 0 | search x --limit -1 | search {ESC}
search {WIDE} | quiz | quiz 0 | quiz 99 | quiz 1 | review | grade | grade 1 | grade 1 nofile
grade 1 d | grade 1 a.toml | grade 1 b.toml | grade 1 c.toml | grade 1 d.toml | grade 1 esc.toml
grade 14 bin.py | grade 1 /dev/null | grade 1 /dev/zero | grade 1 no{ESC} | report | report 1
report 7 | report x | report 70 | project | project x | project 7 | project 68 nosuch
report 28 --to /nosuch/x.md | report 28 --to d
report 28 --to /dev/full | due x | stats x | due --nope | fit x | start | start nosuch
start ../../etc | start vector_add --dir /nosuch/dir/deep | start vector_add --dir /proc
start vector_add --dir good.py | start {ESC} | start '' | start .
start vector_add --dir /dev/full | check | check nosuch | check {ESC} | check vector_add nofile.py
check vector_add d | check vector_add big.py | check vector_add bin.py | check vector_add nul.py
check vector_add /dev/zero | check vector_add '' | check vector_add empty.py --device tpu
check vector_add empty.py --device cuda | check vector_add empty.py --runner nosuch
check vector_add empty.py --runner {ESC}
check vector_add empty.py '--runner=-oProxyCommand=touch pwned'
check vector_add empty.py --target sm_999 | check vector_add empty.py --target {ESC}
check vector_add empty.py --seed x | check vector_add empty.py --seed -1
check vector_add empty.py --seed 99999999999999999999999 | check vector_add empty.py --format x
check vector_add empty.py --sanitize | check vector_add empty.py --profile
check vector_add nofile{ESC} | check vector_add nofile{BIDI} | check vector_add e{ESC}.py
check vector_add {LONG} | grade-all | grade-all nodir | grade-all good.py
grade-all d --share 0/4 | grade-all d --share 5/4 | grade-all d --share x | grade-all d --slots 0
grade-all d --slots -3 | grade-all d --slots x | grade-all sub | grade-all nodir{ESC} | watch
watch nosuch | watch vector_add nofile.py --plain | access | access nosuch
access vector_add nofile.py | access vector_add empty.py
access vector_add empty.py --case nosuch | access vector_add empty.py --program x
access vector_add empty.py --program 1,2,3,4 | access fix_graph_breaks empty.py
access vector_add nofile{ESC} | break | break nosuch | break vector_add | break vector_add --case
break vector_add --case {ESC} | break vector_add --case {BIDI} | break vector_add --case {WIDE}
break vector_add --case '' | break fold_pass --case 'f32[3]' | break {ESC} --case x
break vector_add --case '[[[[[[' | break flash_backward --case 'f32[3]'
xray | xray good.py | xray good.py:: | xray ::f | xray good.py::f
xray good.py::g --input f32[8] | xray good.py::f --input f99[8] | xray good.py::f --input f32[8
xray good.py::f --input f32[-1] | xray good.py::f --input f32[99999999999999]
xray good.py::f --input f32[8] --stage nosuch | xray good.py::f --input f32[8] --target sm_1
xray good.py::f --input f32[8] --log nosuch | xray good.py::f --input f32[8] --again x
xray good.py::f --input f32[8] --repro good.py
xray good.py::f --input "__import__('os').system('touch pwned')"
xray nofile.py::f --input f32[8] | xray nofile{ESC}::f --input f32[8]
xray bin.py::f --input f32[8] | xray good.py::f{ESC} --input f32[8] | judge | judge x
judge stop x | content | content x | content check --course nodir | content check --course d
content check --course good.py | bench x | man | export | export csv x | export jsonl
export jsonl /nosuch/x | export jsonl d | export jsonl /dev/full | export anki /nosuch/x
export jsonl /proc/x | export jsonl '' | import | import nofile | import d | import bin.py
import empty.py | import good.py | import x.jsonl | import y.jsonl | import /dev/null
import /dev/zero | import nofile{ESC} | backup x | restore | restore nofile | restore d
restore bin.py | restore empty.py | restore /dev/null | restore nofile{ESC} | new | new day
new day x | new day 1 --title x | new exercise ../x 1 --title T
new exercise 'X Y' 1 --title T --course d | new quiz 1 | new day 1 --title x --course good.py
serve --port 0 | serve --port 99999 | serve --port x | serve x | completion | completion ksh
doctor x | doctor --runner nosuch | doctor --runner {ESC} | doctor --keys | --course
--course nodir list | --course ../.. list | --course {ESC} list | --course nodir | --course {ESC}
--course '' list | --pack x list | nosuch | --nope | '' | {ESC} | {BIDI} | list --json x | -h
"""
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae")


def make_files(folder: Path) -> None:
    (folder / "empty.py").write_text("")
    (folder / "bin.py").write_bytes(bytes(range(256)))
    (folder / "nul.py").write_bytes(b"def add(x, y):\n  return x\0\n")
    (folder / "good.py").write_text("import torch\ndef f(x): return x + 1\n")
    (folder / f"e{ESC}.py".replace("/", "")).write_text("def add(x, y): return x + y\n")
    (folder / "d").mkdir()
    (folder / "big.py").write_text("#" * (2 << 20))
    (folder / "a.toml").write_text("x = [")
    (folder / "b.toml").write_text('"nosuch" = 5\n')
    (folder / "c.toml").write_text(f"a = {'[' * 1000}{']' * 1000}\n")
    (folder / "d.toml").write_bytes(b"\xff\xfe")
    (folder / "esc.toml").write_text('"x\\u001b]0;hi\\u0007" = 5\n')
    head = '{"tutor":"record","format":%s}\n'
    (folder / "x.jsonl").write_text(head % '"\\u001b]0;pwn\\u0007"')
    (folder / "y.jsonl").write_text(head % "2" + '{"table":"\\u001b]0;pwn\\u0007"}\n')
    (folder / "sub" / f"n{ESC}".replace("/", "")).mkdir(parents=True)


def calls() -> list[list[str]]:
    found = []
    for line in CALLS.split("\n"):
        for call in filter(str.strip, line.split(" | ")):
            words = shlex.split(call)
            for name, text in WORDS.items():
                words = [word.replace(name, text) for word in words]
            found.append(words)
    return found


def find_fault(done: subprocess.CompletedProcess[bytes]) -> str:
    said = done.stdout + done.stderr
    if b"Traceback" in said:
        return "traceback"
    if done.returncode not in (0, 1, 2, 3):
        return f"status {done.returncode}"
    if done.returncode > 1 and len(done.stderr.strip().splitlines()) != 1:
        return f"{len(done.stderr.strip().splitlines())} lines"
    if _CONTROL.search(said):
        return "control code"
    return "long" if len(done.stderr) > 8_000 else ""


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as place:
        make_files(Path(place))
        for words in calls():
            done = subprocess.run(
                [sys.executable, "-m", "tutor", *words],
                cwd=place,
                env={**os.environ, "TUTOR_HOME": home, "PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=180,
            )
            if fault := find_fault(done):
                bad += 1
                print(f"BAD {fault}: {[word[:40] for word in words]} {done.stderr[-200:]!r}")
        subprocess.run(
            [sys.executable, "-m", "tutor", "judge", "stop", "--now"],
            env={**os.environ, "TUTOR_HOME": home, "PYTHONSAFEPATH": "1"},
            capture_output=True,
            check=False,
        )
    print(f"{len(calls())} calls, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
