"""Approvals that nobody gave, put on record past planrail's commands: `forge.py HOW [ARGUMENT]`, for the plan $PLAN."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4)))

from planrail.approval.book import open_plan_file
from planrail.approval.model import Approval, make_statement, read_approval, to_json, with_signature
from planrail.approval.records import make_approval
from planrail.base.records import replace
from planrail.store.ledger import open_ledger
from planrail.store.places import ledger_folder
from tests.git.authenticator import ABSENT, Authenticator

PLAN = os.environ["PLAN"]
WHO = "lena <lena@example.org>"


def draft(strength: str) -> Approval:
    """A yes to the plan as it is now."""
    return make_approval(open_plan_file(PLAN), who=WHO, at=int(time.time()), strength=strength)


def insert(approval: Approval) -> None:
    """Write it into the database."""
    root = os.getcwd()
    open_ledger(root).__exit__(None, None, None)  # so that its tables are there
    with sqlite3.connect(os.path.join(ledger_folder(root), "ledger.db")) as database:
        row = (f"approval-{approval.id}", "approval", approval.plan, approval.at, json.dumps(to_json(approval)))
        database.execute("INSERT INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?)", row)


def forget() -> None:
    """Remove every rejection from the database."""
    with sqlite3.connect(os.path.join(ledger_folder(os.getcwd()), "ledger.db")) as database:
        database.execute("DROP TRIGGER IF EXISTS facts_remain")
        database.execute("DELETE FROM facts WHERE kind = 'rejection'")


def spool(approval: Approval) -> None:
    """Append it to the spool, as a hook does."""
    folder = ledger_folder(os.getcwd())
    os.makedirs(folder, exist_ok=True)
    fact = {"id": approval.id, "kind": "approval", "plan": approval.plan, "at": approval.at, "value": to_json(approval)}
    with open(os.path.join(folder, "spool.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(fact) + "\n")


def last() -> Approval:
    """The newest approval on record."""
    with open_ledger(os.getcwd()) as ledger:
        found = read_approval(ledger.facts(kind="approval")[-1].value)
    assert found is not None
    return found


def sign_by(how: str, statement: str) -> str:
    """A signature by a key that the agent has, or by the person's without a touch."""
    if how == "untouched":
        return Authenticator(b"lena").sign(statement.encode(), flags=ABSENT)
    if how == "own":
        return Authenticator(b"agent").sign(statement.encode())
    return sign_by_agent(statement)


def sign_by_agent(statement: str) -> str:
    """The key lies in an ssh-agent, which signs for whoever asks."""
    key = os.path.join(tempfile.mkdtemp(), "id")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    script = 'ssh-add -q "$0" && rm "$0" && exec ssh-keygen -Y sign -n planrail -f "$0.pub"'
    made = subprocess.run(
        ["ssh-agent", "sh", "-c", script, key], input=statement.encode(), capture_output=True, check=True
    )
    return made.stdout.decode()


def signed(how: str) -> Approval:
    """A signed yes to the plan as it is now."""
    said = draft("key")
    statement = make_statement(said, uuid.uuid4().hex)
    return with_signature(said, statement, sign_by(how, statement))


def renewed(**changes: object) -> Approval:
    """The newest approval once more, with changes."""
    return replace(last(), id=uuid.uuid4().hex, **changes)


def main() -> None:
    how, *rest = sys.argv[1:]
    match how:
        case "insert":
            insert(draft(rest[0]))
        case "spool":
            spool(draft(rest[0]))
        case "signed":
            insert(signed(rest[0]))
        case "forget":
            forget()
        case "again":
            insert(renewed())
        case "now":
            insert(renewed(at=int(time.time()) + 1))
        case "rewritten":  # the old signature under the new text
            old, new = last(), draft(last().strength)
            insert(replace(new, statement=old.statement, signature=old.signature))
        case "elsewhere":
            insert(renewed(plan=open_plan_file(PLAN).id, path=PLAN))
        case _:
            raise SystemExit(f"{how}?")


main()
