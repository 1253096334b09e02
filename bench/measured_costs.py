"""What `bench/workers.py` measured, as the simulation takes it: seconds, bytes and counts.

FIRST is planrail as it was when the queue was first measured with 10,000 rows, NOW what it is since. The machine had
two cores (Neoverse-N1) that did other work as well; CPU time stands that, wall time does not, and is not used here but
for the disk's share of a commit.
"""

from dataclasses import replace

from simulation import Costs, Locked

FIRST = Costs(
    statement=27.0e-3 / 48.5,
    phase_statements=48,
    gap_statements=5,
    run_statements=66,
    phase_client=0.223,
    run_client=0.395,
    beat=1.0e-3,
    beat_commits=4.0,
    look=3.5e-3,
    look_row=9.1e-6,
    is_look_for_all=True,
    take_row=1.25e-6,
    hears=7e-6,
    flush=1.5e-3,
    submit=Locked(0.80e-3, 2, 5),
    take=Locked(2.0e-3, 4, 4),
    hand_over=Locked(0.75e-3, 2, 3),
    name_run=Locked(0.75e-3, 2, 3),
    rest=Locked(1.00e-3, 2, 6),
    show=Locked(0.40e-3, 3, 2),
    phase_wal=23_659.0,
    run_wal=18_766.0,
    beat_wal=450.0,
    worker_connections=2.0,
    run_connections=2.0,
)
NOW = replace(
    FIRST,
    statement=51.8e-3 / 57.4,
    phase_statements=57,
    run_statements=68,
    phase_client=0.200,
    run_client=0.315,
    beat_wal=250.0,
    look=4.2e-3,
    look_row=0.0,
    is_look_for_all=False,
    beat=0.85e-3,
    beat_commits=3.3,
    submit=Locked(0.50e-3, 2, 5),
    take=Locked(6.6e-3, 4, 4),
    take_row=0.0,
    hand_over=Locked(0.55e-3, 2, 3),
    name_run=Locked(0.30e-3, 2, 2),
    rest=Locked(0.75e-3, 2, 6),
    show=Locked(0.25e-3, 2, 0),
    run_connections=1.0,
)

# The throughput bench, in place: phases a second of one and of two workers of 4 slots, 2 cores for all, in part busy
# with other work.
THROUGHPUT = {1: 1.57, 2: 2.50}
THROUGHPUT_PLANS, THROUGHPUT_PHASES, THROUGHPUT_SLEEP = 16, 3, 2.0
