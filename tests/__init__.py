"""The tests, and the benchmark `python -m tests.bench`."""
