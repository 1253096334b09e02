"""The report of a plan as one page that needs nothing else: no script, no file beside it, no network. Pure.

It is made of what `planrail report --json` says, which is masked; every word of others is escaped, and what cannot be
seen is spelled.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from planrail.base.visible import show_line, show_text
from planrail.base.wording import plural
from planrail.runs.reporting.graphs import GraphNode, render_graph
from planrail.runs.reporting.reports import show_date
from planrail.store.journal_lines import render_time

Told = Mapping[str, Any]
_GOOD = ("landed", "done", "adopted", "told", "complete", "passed", "skipped", "pr-ready")
_BAD = ("failed", "stopped", "declined", "stuck", "changed", "missing", "blocked")
_NOW = ("in_progress", "running", "waiting", "paused", "parked", "interrupted")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root{color-scheme:light dark;--t:#1f2328;--d:#59636e;--l:#d1d9e0;--b:#fff;--p:#f6f8fa;--good:#1a7f37;--bad:#cf222e;
--now:#0969da}
@media (prefers-color-scheme:dark){:root{--t:#f0f6fc;--d:#9198a1;--l:#3d444d;--b:#0d1117;--p:#151b23;--good:#3fb950;
--bad:#f85149;--now:#4493f8}}
*{box-sizing:border-box}body{margin:0 auto;max-width:1060px;padding:24px 16px;background:var(--b);color:var(--t);
font:15px/1.5 ui-sans-serif,system-ui,sans-serif}h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:32px 0 8px}
p{margin:4px 0}.d{color:var(--d)}.good{color:var(--good)}.bad{color:var(--bad)}.now{color:var(--now)}
.wide{overflow-x:auto}.wide:focus-visible,summary:focus-visible{outline:2px solid var(--now);outline-offset:2px}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:6px 10px;
border-bottom:1px solid var(--l)}th{color:var(--d);font-weight:600}
caption{text-align:left;padding:4px 10px}strong{white-space:nowrap}td code{display:block;min-width:11em}
code,pre{font:13px/1.45 ui-monospace,monospace}
code{white-space:pre-wrap;overflow-wrap:anywhere}details{border:1px solid var(--l);border-radius:8px;margin:8px 0;
background:var(--p)}summary{padding:10px 12px;cursor:pointer}details>div{padding:0 12px 12px}
progress{width:100%;height:10px;accent-color:var(--good)}ul{margin:4px 0;padding-left:20px}
@media print{details>div{display:block}body{max-width:none}}
"""


def render_page(told: Told, needs: Mapping[str, Sequence[str]], timeline: str, now: float) -> str:
    """The page. `told` is the report as JSON has it, `needs` what each phase waits for, `timeline` a picture."""
    title = _say(told["title"] or told["path"])
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main>",
        *_head(told, title, now),
        *_picture("Phases", render_graph(str(told["title"]), list_nodes(told, needs)) if told["phases"] else ""),
        *_phases(told),
        *_picture("Timeline", timeline),
        *_attempts(told["attempts"]),
        *_runs(told["runs"]),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def list_nodes(told: Told, needs: Mapping[str, Sequence[str]]) -> list[GraphNode]:
    return [
        GraphNode(phase["id"], phase["title"], phase["status"], _mood(phase), tuple(needs.get(phase["id"], ())))
        for phase in told["phases"]
    ]


def _mood(phase: Told) -> str:
    return "good" if phase.get("done") else _mood_of(str(phase["status"]))


def _mood_of(state: str) -> str:
    return next((mood for mood, words in {"good": _GOOD, "bad": _BAD, "now": _NOW}.items() if state in words), "")


def _head(told: Told, title: str, now: float) -> Iterator[str]:
    done, total = sum(phase["done"] for phase in told["phases"]), len(told["phases"])
    attempts = told["attempts"]
    seconds, tokens, cost = (sum(attempt[name] or 0 for attempt in attempts) for name in ("seconds", "tokens", "cost"))
    yield f'<h1>{title}</h1><p class="d"><code>{_say(told["path"])}</code>, as of {show_date(now)}</p>'
    yield f"<p>{_state(told['status'] or 'never run')}{': ' + _say(told['text']) if told['text'] else ''}</p>"
    yield f'<progress max="{total or 1}" value="{done}" aria-label="phases done"></progress>'
    spent = f"{tokens:,} tokens, ${cost:.2f}" if tokens or cost else "tokens and cost unknown"
    spent = f"{plural(len(attempts), 'attempt')}, {render_time(seconds)}; {spent}"
    yield f"<p>{done} of {plural(total, 'phase')} done; {spent}</p>"
    words = {True: "approved", False: "run without approval", None: ""}[told["approved"]]
    tests = f"tests: {_say(told['tests'])}" if told["tests"] else ""
    yield f'<p class="d">{"; ".join(filter(None, (words, tests)))}</p>'


def _picture(title: str, picture: str) -> Iterator[str]:
    if picture:
        yield f'<h2>{title}</h2><div class="wide" tabindex="0" role="region" aria-label="{title}">{picture}</div>'


def _phases(told: Told) -> Iterator[str]:
    last = {attempt["phase"]: attempt for attempt in reversed(told["attempts"])}
    rows = []
    for phase in told["phases"]:
        attempt = last.get(phase["id"])
        commit = f"<code>{_say(attempt['commit'][:12])}</code>" if attempt and attempt["commit"] else ""
        rows.append((_say(phase["id"]), _say(phase["title"]), _state(phase["status"], _mood(phase)), commit))
    yield _table("What each phase came to", ("Phase", "Title", "State", "Commit"), rows)


def _attempts(attempts: Sequence[Told]) -> Iterator[str]:
    if attempts:
        yield "<h2>Attempts, the newest first</h2>"
    for attempt in attempts:
        name = f"Phase {_say(attempt['phase'])}, attempt {attempt['attempt']}"
        about = f"{name}: {_say(attempt['title'])} — {_state(attempt['status'])}"
        is_open = " open" if _mood_of(attempt["status"]) == "bad" else ""
        yield f"<details{is_open}><summary>{about}</summary><div>"
        told = [_say(attempt["text"] or ""), show_date(attempt["began"]), render_time(attempt["seconds"])]
        told += [f"signed off by {_say(attempt['signed_off_by'])}"] if attempt["signed_off_by"] else []
        yield f"<p>{'; '.join(filter(None, told))}</p>"
        yield from _evidence(attempt, name)
        yield from _verdict(attempt, name)
        yield from _list("Found", [_say(found["text"]) for found in attempt["findings"]])
        agents = [f"{_say(one['step'])}, confined: {_say(one['confined'])}" for one in attempt["agents"]]
        yield from _list("Agents", agents)
        yield "</div></details>"


def _evidence(attempt: Told, name: str) -> Iterator[str]:
    found = attempt["evidence"]
    if not found:
        return
    rows = [
        [
            f"<code>{_say_text(check['command'])}</code>",
            _exit(check["base_exit"], is_base=True),
            _exit(check["exit"]),
            render_time(check["seconds"]),
            _say(check["confined"]),
        ]
        for check in found["checks"]
    ]
    head = ("Check", "On the base", "On the work", "Time", "Confined")
    yield _table(f"{name}: checks that planrail ran itself", head, rows)
    evidence, tree = _say((found["hash"] or "")[:16]), _say(found["tree"][:16])
    yield f'<p class="d">evidence <code>{evidence}</code>, tree <code>{tree}</code></p>'


def _verdict(attempt: Told, name: str) -> Iterator[str]:
    verdict = attempt["verdict"]
    if not verdict:
        return
    rows = [
        [
            _say(item["item"]),
            _state(item["verdict"]),
            f"<code>{_say_text(item['place'] or '')}</code>",
            _say(item["note"] or ""),
        ]
        for item in verdict["items"]
    ]
    yield _table(f"{name}: verdict by {_say(verdict['by'])}", ("Part", "Verdict", "Place", "Note"), rows)
    yield from _list("Problems", [_say(problem) for problem in verdict["problems"]])


def _runs(runs: Sequence[Told]) -> Iterator[str]:
    rows = [(f"<code>{_say(run['run'])}</code>", show_date(run["began"]), _state(run["state"])) for run in runs]
    if rows:
        yield "<h2>Runs</h2>"
        yield _table("Runs, the newest first", ("Run", "Began", "State"), rows)


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    titles = "".join(f'<th scope="col">{title}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    inner = f'<caption class="d">{caption}</caption><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="{caption}"><table>{inner}</table></div>'


def _list(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield f"<p>{title}</p><ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>"


def _state(state: str, mood: str = "") -> str:
    mood = mood or _mood_of(state)
    sign = {"good": "✔ ", "bad": "✖ ", "now": "● "}.get(mood, "")
    return f'<strong class="{mood or "d"}">{sign}{_say(state.replace("_", " "))}</strong>'


def _exit(code: int | None, *, is_base: bool = False) -> str:
    """How a check ended; on the base one that fails is as it should be."""
    if code is None:
        return "not run"
    mood = "" if is_base else "bad" if code else "good"
    return f'<span class="{mood or "d"}">{f"exit {code}" if code else "passed"}</span>'


def _say(text: object) -> str:
    return escape(show_line(str(text)), quote=True)


def _say_text(text: str) -> str:
    return escape(show_text(text), quote=True)
