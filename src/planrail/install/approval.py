"""The question of `planrail doctor` about approval: what a yes must be here, and whether it can be had."""

from collections.abc import Mapping

from planrail.approval.book import load_policy
from planrail.approval.channels import Refusal
from planrail.approval.model import KEY
from planrail.approval.people.signers import locate_signers
from planrail.base.errors import PlanrailError
from planrail.install.findings import BAD, NOTE, WELL, Finding


def check_approval(root: str | None, environment: Mapping[str, str]) -> Finding:
    """Which strengths are asked for; where a key is, whether the list of signers is one that nobody else can change."""
    try:
        policy = load_policy(root, environment)
    except PlanrailError:
        return Finding("approval", NOTE, "the settings cannot be read, see above", "correct them")
    if not policy.required:
        text = "no approval is needed here: the settings say required = false"
        return Finding("approval", NOTE, text, "take it out, or write required = true into your own planrail.toml")
    asked = ", ".join(f"{use.replace('_', ' ')}: {strength}" for use, strength in policy.strengths.items())
    lead = f"; the yes of {', '.join(policy.leads)} is needed" if policy.leads else ""
    if KEY in policy.strengths.values():
        signers = locate_signers(environment, policy.signers, root)
        if isinstance(signers, Refusal):
            return Finding(
                "approval", BAD, f"a key is asked for, and no key can count: {signers.reason}", signers.remedy
            )
    return Finding("approval", WELL, f"enough is, {asked}{lead}")
