"""What a yes inside an agent's session must be to be enough."""

import os

from planrail.approval.book import load_policy
from planrail.approval.people.terminals import read_who
from planrail.approval.policy import is_person
from planrail.hook.deciding.consent import LEAD


def consent_in_session(root: str) -> str:
    """The strength that the settings ask for, or that it is the lead's to say yes."""
    policy = load_policy(root, os.environ)
    if policy.leads:
        who = read_who(os.environ)
        if not all(is_person(who, lead) for lead in policy.leads):
            return LEAD
    return policy.in_session
