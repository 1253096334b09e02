"""What people type to have a plan back, or to ask how far it is."""

LOADING = [
    "execute-plan",
    "execute plan",
    "execute the plan",
    "load the plan",
    "load plan",
    "run the plan",
    "start the plan",
    "continue with the plan",
    "continue the plan",
    "resume the plan",
    "resume my plan",
    "reload",
    "reload plan",
    "reload the plan",
    "!load-plan",
    "!plan",
    "/load-plan",
    "/run-plan",
    "/planrail:load-plan",
]
ASKING = [
    "!plan-status",
    "plan status",
    "plan status?",
    "show progress",
    "show plan status",
    "/plan-status",
    "/plan status",
    "/planrail:plan-status",
]
