"""`python -m planrail` is the same program as `planrail`."""

from planrail.cli.main import entry

if __name__ == "__main__":
    entry()
