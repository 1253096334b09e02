"""The programs in bench/ import each other by their plain names: `peers` is the one that knows how to install them."""

import sys
from pathlib import Path

BENCH = str(Path(__file__).parents[2] / "bench")
if BENCH not in sys.path:
    sys.path.insert(0, BENCH)
