# What a contributor runs. `make` lists it. VENV names another virtual environment than .venv.
VENV ?= .venv
PYTHON = $(VENV)/bin/python
JOBS ?= 4
# The files of the tests that measure time: to collect all the others takes ten seconds.
BUDGET = $(shell grep -rl 'mark\.budget' tests --include='test_*.py')
# What exercises that are proved with all extras name in `needs`, as an alternation.
NEEDS = tvm|mlir|xdsl|xla|iree|onnx|torchao|safetensors|gguf

.DEFAULT_GOAL := help
.PHONY: help setup test test-together test-alone fast check check-style check-types check-imports fix extras \
	versions docs snapshots

help:  ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## Make .venv with the program and all that its tests need
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q -c constraints.txt -e '.[test]'

test:  ## Run all tests: first all but those that measure time, then these, alone
	$(MAKE) test-together
	$(MAKE) test-alone

test-together:
	$(PYTHON) -m pytest -n $(JOBS) --dist loadfile -m "not budget" --durations=40 --durations-min=4

test-alone:
	$(PYTHON) -m pytest -m budget $(BUDGET)

fast:  ## Run the tests that are not slow
	$(PYTHON) -m pytest -n $(JOBS) --dist loadfile -m "not slow and not budget"

check: check-style check-types check-imports  ## Check style, format, spelling, types and imports

check-style:
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check tutor tests
	$(VENV)/bin/codespell README.md CONTRIBUTING.md docs lessons quizzes kernels tutor

check-types:
	$(VENV)/bin/mypy

check-imports:
	$(VENV)/bin/lint-imports

fix:  ## Mend what ruff can mend, and format
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format tutor tests

extras:  ## In a virtual environment of its own, with all compilers, torchao, and the formats of weights (4 GB): their tests
	python3 -m venv $(VENV)-extras
	$(VENV)-extras/bin/pip install -q -c constraints.txt -e '.[test,ir,tvm,mlir,xla,iree,onnx,quant,inference]'
	$(VENV)-extras/bin/pip install -q 'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-cccl==13.0.*' \
		'nvidia-cuda-runtime==13.0.*'
	$(VENV)-extras/bin/pip check
	$(VENV)-extras/bin/python -m pytest -n 2 --dist loadfile tests/xray/compilers tests/judge/test_quant_extra.py tests/judge/test_inference_extra.py \
		tests/judge/schedules tests/judge/passes tests/judge/graphs tests/judge/diagnosis/test_tvm_errors.py \
		tests/content/test_recorded_day19.py tests/content/test_recorded_days.py tests/content/test_fusions_of_xla.py
	set -e; for each in $$(grep -lE 'course\.(tvm|package)_cells' lessons/*.md | cut -d- -f2) \
		$$(grep -lE '^needs = .*"($(NEEDS))"' kernels/*/exercise.toml | cut -d/ -f2); do \
		$(VENV)-extras/bin/tutor content check --only $$each; done

versions:  ## Try each pair of torch and triton in turn: hours, and 5 GB of disk at a time
	$(PYTHON) -m tests.versions

docs:  ## Write docs/keys.md from the table of keys
	$(PYTHON) tests/ui/app/keys_page.py

snapshots:  ## Write the recorded screens again; read `git diff` before you keep them
	TUTOR_WRITE_SNAPSHOTS=1 $(PYTHON) -m pytest tests/ui/app/test_every_screen.py \
		tests/ui/lab/test_lab_snapshots.py tests/ui/ladder/test_ladder_snapshots.py
