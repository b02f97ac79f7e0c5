"""Benchmarks and tournaments of the solver: `python -m tarocchi_bench --help`."""
