"""`python -m planrail` is the same program as `planrail`."""

import sys

from planrail.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
