"""What `bench/workers.py` measured, as the simulation takes it: seconds, bytes and counts.

The machine had two cores (Neoverse-N1) that did other work as well; CPU time stands that, wall time does not, and is
not used here but for the disk's share of a commit.
"""

from simulation import Costs, Locked

MEASURED = Costs(
    statement=34.0e-3 / 51.2,
    phase_statements=51,
    gap_statements=5,
    run_statements=60,
    phase_client=0.26,
    run_client=0.40,
    beat=5.5e-3,
    beat_commits=14.5,
    look=3.2e-3,
    look_commits=4.6,
    shown=0.6e-6,
    hears=6.5e-6,
    flush=1.5e-3,
    submit=Locked(1.15e-3, 2, 7),
    take=Locked(4.6e-3, 4, 4),
    hand_over=Locked(0.75e-3, 2, 3),
    name_run=Locked(0.70e-3, 2, 2),
    rest=Locked(1.30e-3, 2, 6),
    phase_wal=25_000.0,
    run_wal=32_700.0,
    beat_wal=365.0,
    worker_connections=2.0,
)

# The throughput bench, in place: phases a second of one and of two workers of 4 slots, 2 cores for all, in part busy
# with other work.
THROUGHPUT = {1: 1.57, 2: 2.50}
THROUGHPUT_PLANS, THROUGHPUT_PHASES, THROUGHPUT_SLEEP = 16, 3, 2.0
