"""Run one command and report what it cost: exit code, CPU seconds, peak memory as the system counts it.

Called by `measure`, as `python -I -S launch.py REPORT_FD PROGRAM ARGUMENT...`. A process of its own, because a child's
peak memory begins at that of the process that starts it, and the benchmark itself is larger than the smallest things
it measures.
"""

import os
import sys


def main() -> None:
    """Start the command, wait for it and for what it waited for, and write one line to the report."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os.write(report, f"{code} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}".encode())


main()
