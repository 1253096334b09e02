"""Is planrail well here? What is installed, whether it works, and which sessions are protected."""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, paint, pick
from planrail.install.findings import BAD, NOTE, WELL, Checkup

_SIGNS = {WELL: ("✔", "green"), NOTE: ("•", "yellow"), BAD: ("✖", "red")}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--database", nargs="?", const="", metavar="URL", help="look at the team's database, or at this one"
    )
    parser.add_argument("--plugin-path", action="store_true", help="print the folder of the plugin, and nothing else")


def run(arguments: Namespace) -> Answer | int:
    """Look at everything; 1 where something needs a fix."""
    if arguments.plugin_path:
        from planrail.install.targets import plugin_folder

        print(plugin_folder())
        return 0
    if arguments.database is None:
        findings = examine()
    else:
        from planrail.install.database import check_database
        from planrail.install.files import find_root

        findings = check_database(find_root(os.getcwd()), os.environ, arguments.database)
    is_well = all(finding.state != BAD for finding in findings)
    checks = [pick(finding, "name state text remedy") for finding in findings]
    width = max(len(finding.name) for finding in findings)
    lines = []
    for finding in findings:
        sign, colour = _SIGNS[finding.state]
        todo = f" → {finding.remedy}" if finding.remedy else ""
        lines.append(f"{paint(sign, colour)} {finding.name:<{width}}  {finding.text}{todo}")
    return Answer({"ok": is_well, "checks": checks}, lines, command=_next(findings), code=0 if is_well else 1)


def examine() -> list[Checkup]:
    """Every finding, in the order in which one would fix things."""
    from planrail.install import checks
    from planrail.install.files import find_root
    from planrail.install.service import check_service
    from planrail.install.targets import InstallPlace
    from planrail.install.trial import try_hook

    state, root = state_folder(), find_root(os.getcwd())
    return [
        checks.check_package(),
        checks.check_state(state),
        checks.check_interpreter(state),
        *try_hook(state),
        *checks.check_agents(None if root is None else InstallPlace(root), os.environ, state),
        *checks.check_steering(root or os.getcwd(), os.environ),
        *checks.check_settings(root, os.environ),
        checks.check_approval(root, os.environ),
        checks.check_shfmt(),
        checks.check_git(),
        checks.check_confinement(),
        check_service(root),
        *checks.check_sessions(state, time.time()),
    ]


def _next(findings: list[Checkup]) -> str:
    """What to type first: the remedy of the worst finding that has one."""
    for state in (BAD, NOTE):
        worst = [finding.remedy for finding in findings if finding.state == state]
        typed = [remedy for remedy in worst if remedy.startswith("planrail ")]
        if typed:
            return typed[0]
        if worst and state == BAD:
            return "planrail doctor   (when that is fixed)"
    return "planrail plans"
