"""What `benchmarks/run.py` consists of: cases, contenders, limits, timing, other costs, and the report."""
