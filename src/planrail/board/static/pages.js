// The pages that show: inbox, plans, run, timeline, evidence, difference, tasks, queue, costs.
import { html, useEffect, useRef, useState } from './preact.js'
import { Command, Diff, Failure, Html, State, Table, Tabs, get, href, moodOf, span, useAction, useData, useMessages, when } from './parts.js'

const wrap = (title, { data, error }, body) => html`<h1>${title}</h1>
  ${error && html`<${Failure} error=${error} />`}${data ? body(data) : !error && html`<p class="d">Loading …</p>`}`

function Inbox({ given }) {
  const found = useData('inbox', { project: given.project })
  const page = kind => ['approval', 'changed'].includes(kind) ? 'plan' : kind === 'sign-off' ? 'evidence' : 'run'
  return wrap('What waits for you', found, ({ waiting, live }) => html`
    ${!waiting.length && html`<p class="good">✔ Nothing waits for you.</p>`}
    <ul class="cards">${waiting.map(one => html`<li>
      <div class="row"><${State} of=${one.kind} />
        <a href=${href(page(one.kind), { plan: one.path, project: one.project })}><strong>${one.title}</strong></a>
        <span class="d">${one.where} · ${one.path}${one.at ? ` · ${when(one.at)}` : ''}</span></div>
      ${one.text && html`<p>${one.text}</p>`}<${Command} text=${one.command} /></li>`)}</ul>
    ${live.length > 0 && html`<h2>Under way</h2><ul class="cards">${live.map(run => html`<li>
      <a class="live" href=${href('run', { plan: run.path, project: run.project })}>${run.title}</a>
      <p class="d">${run.where} · phase ${run.phase || '—'}, ${run.step || 'begins'} · ${span(run.elapsed)}</p></li>`)}</ul>`}`)
}

function Plans({ given }) {
  const found = useData('plans', { project: given.project })
  return wrap('Plans', found, ({ plans }) => html`
    ${!plans.length && html`<p>No plan is written yet.</p><${Command} text='planrail plans new "what is to be done"' />`}
    <ul class="cards">${plans.map(plan => html`<li><div class="row"><${State} of=${plan.stage} />
      <a href=${href('plan', { plan: plan.path, project: given.project })}><strong>${plan.title}</strong></a>
      <a href=${href('run', { plan: plan.path, project: given.project })} aria-label=${`The run of ${plan.title}`}>run</a>
      <a href=${href('evidence', { plan: plan.path, project: given.project })} aria-label=${`The evidence of ${plan.title}`}>evidence</a></div>
      <progress max=${plan.progress.total || 1} value=${plan.progress.done} aria-label=${`Progress of ${plan.title}`}></progress>
      <p class="d">${plan.path} · ${plan.progress.done} of ${plan.progress.total}${plan.phase ? ` · phase ${plan.phase.id}: ${plan.phase.title}` : ''}
      ${plan.problem ? ` · ${plan.problem}` : ''}</p></li>`)}</ul>`)
}

const against = (spent, most, show) => spent == null || !most ? null : html`<p>${show(spent)} of ${show(most)}</p>
  <progress max=${most} value=${Math.min(spent, most)} aria-label="Spent of the ceiling"></progress>`

function Run({ given, page, readOnly }) {
  const asked = { plan: given.plan, project: given.project }
  const found = useData('run', asked)
  const [lines, setLines] = useState([])
  const [output, setOutput] = useState('')
  const [act, told] = useAction(found.reload)
  const box = useRef()
  const run = found.data?.run?.run
  useMessages(message => {
    if (message.run && run && message.run !== run) return
    if (message.kind === 'journal') setLines(before => [...before, ...message.lines.map(line =>
      `${new Date(line.at * 1000).toLocaleTimeString()}  ${line.phase ? `phase ${line.phase}, ` : ''}${line.step}: ${line.state}`)].slice(-300))
    if (message.kind === 'agent') setLines(before => [...before, ...message.lines.map(line => `agent: ${line}`)].slice(-300))
    if (message.kind === 'output') setOutput(before => (before + message.text).slice(-20000))
  })
  const live = found.data?.run?.live
  useEffect(() => {
    const timer = live ? setInterval(found.reload, 3000) : null // for the times that pass while nothing is written
    return () => clearInterval(timer)
  }, [live, given.plan])
  useEffect(() => { if (box.current) box.current.scrollTop = box.current.scrollHeight }, [lines])
  const may = (state, live) => ({
    pause: live, stop: live || ['paused', 'parked', 'waiting', 'interrupted'].includes(state),
    resume: !live && ['paused', 'parked', 'waiting', 'interrupted', 'failed', 'stopped'].includes(state),
  })
  return wrap(found.data?.title || given.plan, found, data => html`<${Tabs} page=${page} given=${given} />
    ${!data.run ? html`<p>This plan was not run so far.</p>` : html`
      <div class="row"><${State} of=${data.run.state} />${data.run.live && html`<span class="live">live</span>`}
        <span class="d">${data.run.agent}, verified by ${data.run.verifier} · began ${when(data.run.started)} · ${span(data.run.elapsed)}</span></div>
      ${data.run.text && html`<p>${data.run.text}</p>`}
      ${!readOnly && html`<div class="row" role="group" aria-label="This run">${Object.entries(may(data.run.state, data.run.live)).map(([verb, can]) =>
        html`<button disabled=${!can} onClick=${() => act(verb, asked)}>${verb[0].toUpperCase() + verb.slice(1)}</button>`)}</div>`}`}
    ${told}
    ${data.step && html`<div class="card"><h2>Phase ${data.phase}, attempt ${data.attempt}: ${data.step_text}</h2>
      <p class="d">${span(data.step_seconds)} in this step${data.stuck ? ` · ${data.stuck.text}` : ''}</p>
      ${data.agent && html`<p>The agent's last words, ${span(data.agent.quiet_seconds)} ago:</p>
        <pre>${data.agent.last_lines.join('\n') || '—'}</pre>`}</div>`}
    <progress max=${data.progress.total || 1} value=${data.progress.done} aria-label="Phases done"></progress>
    <p>${data.progress.done} of ${data.progress.total} phases · ${data.tokens.toLocaleString()} tokens · ${data.tokens || data.cost ? `$${data.cost.toFixed(2)}` : 'cost unknown'}</p>
    ${against(data.cost, data.ceiling?.money, one => `$${one.toFixed(2)}`)}${against(data.tokens, data.ceiling?.tokens, one => `${one.toLocaleString()} tokens`)}
    ${against(data.minutes, data.ceiling?.minutes, one => `${one.toFixed(1)} minutes`)}
    <${Command} text=${data.next} />
    ${lines.length > 0 && html`<h2>As it happens</h2><pre class="log" ref=${box} tabindex="0" role="log" aria-label="As it happens">${lines.join('\n')}</pre>`}
    ${output && html`<h2>Output of the check</h2><pre class="log" tabindex="0" role="region" aria-label="Output of the check">${output}</pre>`}
    <${Table} caption="Phases" head=${['Phase', 'Title', 'State', 'Proof', 'Commit']} rows=${data.phases.map(one =>
      [one.id, one.title, html`<${State} of=${one.run_state || one.status} />`, one.proof || '—', html`<code>${(one.commit || '').slice(0, 10)}</code>`])} />
    <h2>What happened</h2><${Table} caption="The newest first" head=${['When', 'What', 'Phase', 'Text']} rows=${[...data.events].reverse().map(one =>
      [when(one.at), one.kind.replace('_', ' '), one.phase || '', one.text])} />`)
}

function Timeline({ given, page }) {
  const found = useData('report', { plan: given.plan, project: given.project })
  return wrap(found.data?.title || given.plan, found, data => html`<${Tabs} page=${page} given=${given} />
    <h2>Phases, and what each waits for</h2><div class="picture" tabindex="0" role="region" aria-label="Phases"><${Html} text=${data.graph} /></div>
    <h2>When what was done</h2>${data.timeline
      ? html`<div class="picture" tabindex="0" role="region" aria-label="Timeline"><${Html} text=${data.timeline} /></div>` : html`<p>Nothing was done so far.</p>`}
    <${Table} caption="Attempts, the newest first" head=${['Phase', 'Attempt', 'State', 'Began', 'Took']} rows=${data.attempts.map(one =>
      [`${one.phase} ${one.title}`, one.attempt, html`<${State} of=${one.status} />`, when(one.began), span(one.seconds)])} />`)
}

function Evidence({ given, page }) {
  const found = useData('report', { plan: given.plan, project: given.project })
  return wrap(found.data?.title || given.plan, found, data => html`<${Tabs} page=${page} given=${given} />
    ${!data.attempts.length && html`<p>There is no evidence so far: nothing was run.</p>`}
    ${data.attempts.map((one, at) => html`<details open=${at === 0 || moodOf(one.status) === 'bad'}>
      <summary>Phase ${one.phase}, attempt ${one.attempt}: ${one.title} — <${State} of=${one.status} /></summary><div>
      <p>${one.text} <span class="d">${when(one.began)}, ${span(one.seconds)}${one.signed_off_by ? `, signed off by ${one.signed_off_by}` : ''}</span></p>
      <p><a href=${href('diff', { plan: given.plan, project: given.project, run: one.run, phase: one.phase, attempt: one.attempt })}>The difference of phase ${one.phase}, attempt ${one.attempt}</a></p>
      ${one.evidence && html`<${Table} caption=${`Phase ${one.phase}, attempt ${one.attempt}: checks that planrail ran itself, on tree ${one.evidence.tree.slice(0, 12)}`}
        head=${['Check', 'On the base', 'On the work', 'Time', 'Confined']} rows=${one.evidence.checks.map(check => [
          html`<pre>${check.command}</pre>${check.output && html`<details><summary>Output</summary><div><pre>${check.output}</pre></div></details>`}`,
          check.base_exit == null ? 'not run' : check.base_exit ? `exit ${check.base_exit}` : 'passed',
          html`<span class=${check.exit ? 'bad' : 'good'}>${check.exit ? `✖ exit ${check.exit}` : '✔ passed'}</span>`, span(check.seconds), check.confined])} />`}
      ${one.verdict && html`<${Table} caption=${`Phase ${one.phase}, attempt ${one.attempt}: verdict by ${one.verdict.by}`}
        head=${['Part', 'Verdict', 'Place', 'Note']} rows=${one.verdict.items.map(item => [item.item, html`<${State} of=${item.verdict} />`, html`<code>${item.place}</code>`, item.note])} />
        ${one.verdict.problems.map(problem => html`<div class="note bad">${problem}</div>`)}`}
      ${one.findings.map(item => html`<div class=${`note ${item.failure ? 'bad' : ''}`}>${item.kind}: ${item.text}</div>`)}</div></details>`)}`)
}

function Difference({ given }) {
  const { plan, project, run, phase, attempt } = given
  const found = useData('diff', { plan, project, run, phase, attempt })
  return wrap(found.data ? `${found.data.title}: the difference` : 'The difference', found, data => html`<${Tabs} page="diff" given=${given} />
    <p>Phase ${phase}, attempt ${attempt}: ${data.what}${data.commit ? html` as <code>${data.commit.slice(0, 12)}</code>` : ''}</p>
    ${data.is_cut && html`<div class="note">Only its beginning is shown.</div>`}
    ${data.text ? html`<${Diff} lines=${data.text.replace(/\n$/, '').split('\n')} />` : html`<p>Nothing differs.</p>`}`)
}

function Column({ column, given }) {
  const [more, setMore] = useState([])
  const load = async () => {
    const told = await get('tasks', { project: given.project, status: column.status, from: column.tasks.length + more.length })
    setMore(before => [...before, ...told.columns[0].tasks])
  }
  const cards = [...column.tasks, ...more]
  return html`<section aria-label=${column.status.replaceAll('_', ' ')}><h2>${column.status.replaceAll('_', ' ')} <span class="d">${column.count}</span></h2>
    <ul class="cards">${cards.map(task => html`<li><a href=${href('task', { number: task.number, project: given.project })}>${task.number} ${task.title}</a>
      ${task.topic && html`<span class="d"> ${task.topic}</span>`}
      ${task.blocked_by.length > 0 && html`<p class="wait">◆ waits for ${task.blocked_by.join(', ')}</p>`}</li>`)}</ul>
    ${cards.length < column.count && html`<button onClick=${load}>${`More (${column.count - cards.length})`}</button>`}</section>`
}

function Tasks({ given }) {
  const found = useData('tasks', { project: given.project })
  return wrap('Tasks', found, ({ columns }) => html`
    ${!columns.length && html`<p>There are no tasks.</p><${Command} text='planrail task new "what is to be done"' />`}
    <div class="board">${columns.map(column => html`<${Column} key=${column.status} column=${column} given=${given} />`)}</div>`)
}

function Task({ given }) {
  const found = useData('task', { number: given.number, project: given.project })
  return wrap(found.data ? `${found.data.number} ${found.data.title}` : 'Task', found, data => html`
    <div class="row"><${State} of=${data.status} /><span class="d">${data.task_type}${data.topic ? ` · ${data.topic}` : ''}</span></div>
    <p>${data.description}</p>
    ${data.waits_for.length > 0 && html`<p class="wait">◆ waits for ${data.waits_for.map(one => one.number || one).join(', ')}</p>`}
    ${data.next && html`<${Command} text=${data.next} />`}
    ${data.artifacts.length > 0 && html`<${Table} caption="Documents" head=${['Kind', 'Path', 'Summary']} rows=${data.artifacts.map(one =>
      [one.type, one.type === 'plan' ? html`<a href=${href('plan', { plan: one.path, project: given.project })}>${one.path}</a>` : html`<code>${one.path}</code>`, one.summary])} />`}
    ${data.phases.length > 0 && html`<${Table} caption="Phases" head=${['Phase', 'Title', 'State']} rows=${data.phases.map(one => [one.id, one.title, html`<${State} of=${one.status} />`])} />`}
    <${Table} caption="What happened" head=${['When', 'What']} rows=${data.history.map(one => [when(one.at), one.what])} />`)
}

function Queue({ given, readOnly }) {
  const found = useData('queue', { project: given.project })
  const [act, told] = useAction(found.reload)
  const change = row => readOnly ? '' : html`<div class="row">
    <button class="small" aria-label=${`Serve ${row.path} earlier`} onClick=${() => act('priority', { project: given.project, plan: row.path, number: String(row.priority + 1) })}>Earlier</button>
    <button class="small" aria-label=${`Take ${row.path} out of the queue`} onClick=${() => act('remove', { project: given.project, plan: row.path })}>Remove</button></div>`
  const plan = row => html`<a href=${href('run', { plan: row.path, project: given.project })}>${row.path}</a>`
  return wrap('Queue, schedules and workers', found, data => html`${told}${data.note && html`<div class="note">${data.note}</div>`}
    ${!data.running.length && !data.waiting.length && !data.resting.length && html`<p>The queue is empty.</p>`}
    ${data.running.length > 0 && html`<${Table} caption="Running" head=${['Plan', 'Worker', 'Run']} rows=${data.running.map(row => [plan(row), row.worker, row.run])} />`}
    ${data.waiting.length > 0 && html`<${Table} caption="Waiting" head=${['Place', 'Plan', 'Why it waits', 'Priority', 'Change']} rows=${data.waiting.map(row => [row.place, plan(row), row.text || row.reason, row.priority, change(row)])} />`}
    ${data.resting.length > 0 && html`<${Table} caption="Resting until a person answers" head=${['Plan', 'Outcome', 'Said', 'Change']} rows=${data.resting.map(row => [plan(row), row.outcome, row.said, change(row)])} />`}
    <h2>What goes on by itself</h2>${data.upcoming.length ? html`<${Table} caption="Schedules and parked runs" head=${['Plan', 'When', 'Every', 'State']}
      rows=${data.upcoming.map(row => [plan(row), row.text || 'held', row.expression || row.kind, row.why || row.state])} />` : html`<p>Nothing is scheduled, and no run is parked.</p>`}
    <h2>Workers</h2>${data.workers.length ? html`<${Table} caption="Workers" head=${['Machine', 'Process', 'Busy', 'Slots']} rows=${data.workers.map(one => [one.host, one.pid, one.busy, one.slots])} />`
      : html`<p>No worker is there.</p>`}
    ${data.limits.length > 0 && html`<${Table} caption="Limits" head=${['Kind', 'Name', 'At most']} rows=${data.limits.map(one => [one.kind, one.name || 'this repository', one.most])} />`}
    <${Command} text=${data.next} />`)
}

function Costs({ given }) {
  const found = useData('costs', { project: given.project })
  const sum = (list, name) => list.reduce((all, one) => all + (one[name] || 0), 0)
  const cost = list => list.some(one => one.told) ? `$${sum(list, 'cost').toFixed(2)}` : 'unknown'
  const tokens = list => list.some(one => one.told) ? sum(list, 'tokens').toLocaleString() : 'unknown'
  return wrap('Costs', found, ({ plans }) => {
    const most = Math.max(1, ...plans.map(plan => sum(plan.attempts, 'seconds')))
    return html`${!plans.length && html`<p>Nothing was run so far.</p>`}
      ${plans.map(plan => html`<details><summary><strong>${plan.title}</strong> — cost ${cost(plan.attempts)}, tokens ${tokens(plan.attempts)}, ${span(sum(plan.attempts, 'seconds'))}
        <progress max=${most} value=${sum(plan.attempts, 'seconds')} aria-label=${`Time of ${plan.title} beside the others`}></progress></summary><div>
        <${Table} caption=${`Attempts of ${plan.title}`} head=${['When', 'Phase', 'Attempt', 'State', 'Agent', 'Model', 'Time', 'Tokens', 'Cost']} rows=${plan.attempts.map(one =>
          [when(one.began), `${one.phase} ${one.title}`, one.attempt, html`<${State} of=${one.status} />`, one.agent || 'unknown', one.model || 'unknown', span(one.seconds), tokens([one]), cost([one])])} /></div></details>`)}`
  })
}

export const PAGES = { inbox: Inbox, plans: Plans, run: Run, timeline: Timeline, evidence: Evidence, diff: Difference, tasks: Tasks, task: Task, queue: Queue, costs: Costs }
