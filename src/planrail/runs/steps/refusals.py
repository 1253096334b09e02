"""Why a phase is not started, before anything is done for it."""

from planrail.base.run_model import Order, PhaseOrder, Refusal
from planrail.plans.execution.executions import refuse_execution, refuse_runbook


def refuse_phase(order: Order, phase: PhaseOrder) -> Refusal | None:
    """What speaks against carrying out a phase as it is written."""
    if order.remote and "direct" in (phase.execution.kind, order.options.landing):
        text = f"phase {phase.id} works directly in the checkout, and a worker has none"
        return Refusal("refused", text, f"planrail run {order.path} {phase.id} direct --here")
    mixed = refuse_execution(phase.execution, order.options.landing)
    if mixed:
        is_direct = phase.execution.kind == "direct"
        remedy = f"planrail run {order.path} {phase.id} direct" if is_direct else f"planrail lint {order.path}"
        return Refusal("refused", mixed, remedy)
    if order.options.agent == "runbook" and phase.execution.kind != "delegate":
        unfit = refuse_runbook(phase)
        if unfit:
            return Refusal("refused", unfit, f"planrail run {order.path} {phase.id} --agent claude")
    if order.options.verifier == "runbook" and not phase.checks:
        text = f"phase {phase.id} has no check, and with the verifier runbook the checks are the verdict"
        command = f"planrail run {order.path} {phase.id} --verifier {order.options.agent}"
        return Refusal("refused", text, command)
    return None
