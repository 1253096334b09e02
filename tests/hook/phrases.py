"""What people type to have a plan back, to have it carried out, or to ask how far it is."""

EXECUTING = [
    "execute-plan",
    "execute plan",
    "execute the plan",
    "run the plan",
    "start the plan",
    "continue with the plan",
    "continue the plan",
    "resume the plan",
    "resume my plan",
]
LOADING = [
    "load the plan",
    "load plan",
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
