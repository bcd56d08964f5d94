"""This program's own speed on this machine, as a learner meets it: `python -m tests.bench`.

Run it in the root of a clone. It measures whole processes on a real pseudo-terminal, the real judge and
the real application. Runs that are compared take turns, so that a machine which slows down meets both
sides. The learner's data is never opened: everything happens in a temporary `TUTOR_HOME`
(`tests.bench.harness`).

`--json` prints one object. Parts that a version lacks are absent.

    versions      {"tutor", "python", "torch", "triton", "numpy", "textual"}
    device        what judged: "cpu-interpreter", or "cuda: NVIDIA H200"
    first_paint   {"tutor_ms", "usable_ms", "minimal_ms", "ratio"}: until home is painted, until the
                  first key is answered, until an application of one label is painted
    one_shot      {"due_ms", "list_ms", "python_ms"}: whole processes
    verdict       {"exercise", "device", "cold_ms", "first_case_p50_ms", "warm_p50_ms", "warm_p95_ms",
                  "first_time_p50_ms" (on a GPU), "verdict_p50_ms", "cold_over_warm",
                  "after_crash_over_warm", "check_p50_ms", "check_cold_ms", "cold_over_check"}
    page_turn, typing, key, plain
                  {"p50_ms", "p95_ms"} each. typing and key: a letter in a file of 300 lines, without and
                  with the judge at work; plain: a letter in Textual's own text area, empty and alone
    xray          {"target", "kernel_warm_ms", "kernel_cold_ms", "first_stage_ms", "function_warm_ms",
                  "function_cold_ms", and where there is a C++ compiler "debug_cold_ms",
                  "debug_over_cold"}
    due_queue     {"cards", "reviews", "due", "queue_p50_ms", "queue_p95_ms", "next_p95_ms",
                  "answer_p50_ms", "answer_p95_ms", "start_extra_ms", "rebuild_s"}
    search        {"passages", "build_ms", "open_ms", "p50_ms", "p95_ms"}

With `--full` also these two, of the interface's process alone, and on a GPU the third:

    idle          {"home_percent", "lesson_percent", "seconds"}, of one processor
    memory        {"start_mib", "rounds_mib": [...], "end_mib", "unique_mib", "growth", "minimal_mib"}
    precision     [{"exercise", "medians_us", "half_widths", "alone_us", "cupti_us", "spread", "off",
                  "holds"}, ...]: times of a verdict against CUPTI
"""
