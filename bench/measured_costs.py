"""What `bench/workers.py` measured, as the simulation takes it: seconds, bytes and counts.

The machine had two cores (Neoverse-N1) that did other work as well; CPU time stands that, wall time does not, and is
not used here but for the disk's share of a commit.
"""

from simulation import Costs, Locked

MEASURED = Costs(
    statement=51.8e-3 / 57.4,
    phase_statements=57,
    gap_statements=5,
    run_statements=68,
    phase_client=0.200,
    run_client=0.315,
    beat=5.3e-3,
    beat_commits=17.0,
    look=2.8e-3,
    look_commits=7.0,
    shown=1.0e-6,
    hears=8e-6,
    flush=1.5e-3,
    submit=Locked(0.50e-3, 2, 5),
    take=Locked(6.6e-3, 4, 4),
    hand_over=Locked(0.55e-3, 2, 3),
    name_run=Locked(0.30e-3, 2, 2),
    rest=Locked(0.75e-3, 2, 6),
    phase_wal=23_659.0,
    run_wal=18_766.0,
    beat_wal=400.0,
    worker_connections=2.0,
)

# The throughput bench, in place: phases a second of one and of two workers of 4 slots, 2 cores for all, in part busy
# with other work.
THROUGHPUT = {1: 1.57, 2: 2.50}
THROUGHPUT_PLANS, THROUGHPUT_PHASES, THROUGHPUT_SLEEP = 16, 3, 2.0
