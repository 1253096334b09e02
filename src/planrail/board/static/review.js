// The review of a plan: what will be run, the text with what is said to each part of it, and the answer.
import { html, useEffect, useRef, useState } from './preact.js'
import { Command, Diff, Failure, Html, State, Tabs, moodOf, nameOf, post, useAction, useData, when } from './parts.js'

const lines = block => block.first === block.last ? `line ${block.first}` : `lines ${block.first} to ${block.last}`
const uses = names => names.map(name => name.replaceAll('_', ' ')).join(', ')

function quoteIn(element) {
  const chosen = getSelection()
  const text = chosen.toString().trim()
  return text && element.contains(chosen.anchorNode) && element.contains(chosen.focusNode) ? text.slice(0, 2000) : ''
}

function CommentForm({ block, quote, asked, done }) {
  const [error, setError] = useState(null)
  const first = useRef()
  useEffect(() => first.current.focus(), [])
  const send = async event => {
    event.preventDefault()
    const given = Object.fromEntries(new FormData(event.target))
    try { await post('comment', { ...asked, ...given, quote, block: block.hash, line: String(block.first) }); done(true) } catch (failed) { setError(failed) }
  }
  return html`<form class="card" onSubmit=${send} onKeyDown=${event => { if (event.key === 'Escape') done(false) }} aria-label=${`Comment on ${lines(block)}`}>
    ${quote && html`<p class="d">“${quote}”</p>`}
    <label for="say">What should be different in ${lines(block)}?</label><textarea id="say" name="text" ref=${first} maxlength="20000"></textarea>
    <label for="instead">Write instead (may be empty)</label><textarea id="instead" class="code" name="replacement" maxlength="20000"></textarea>
    <div class="row"><button class="main">Keep the comment</button><button type="button" onClick=${() => done(false)}>Cancel</button></div>
    ${error && html`<${Failure} error=${error} />`}</form>`
}

const Remark = ({ one, remove }) => html`<div class="note"><strong>${nameOf(one.who)}</strong> <span class="d">${when(one.at)}</span>
  ${one.quote && html`<p class="d">“${one.quote}”</p>`}<p>${one.text}</p>${one.replacement && html`<p class="d">instead:</p><pre>${one.replacement}</pre>`}
  ${one.place !== 'here' && (!one.fate || one.fate === 'gone') && html`<p><${State} of=${one.place} /> ${one.place === 'gone' ? 'the text is no longer in the plan:' : 'the text around it has changed:'}</p><pre class="d">${one.source}</pre>`}
  ${one.fate && one.fate !== 'gone' && html`<p>became: <${State} of=${one.fate} /></p>`}
  ${remove && html`<button class="small" onClick=${remove} aria-label=${`Take back the comment on line ${one.line}`}>Take back</button>`}</div>`

function Block({ block, at, current, setCurrent, problems, comments, asked, reload, readOnly }) {
  const [open, setOpen] = useState(null)
  const own = useRef()
  const begin = () => { setCurrent(at); if (!readOnly) setOpen({ quote: quoteIn(own.current) }) }
  const done = kept => { setOpen(null); own.current.focus(); if (kept) reload() }
  const keys = event => {
    if (event.target !== own.current || event.ctrlKey || event.metaKey || event.altKey) return
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    const next = step && own.current.parentElement.querySelector(`[data-at="${at + step}"]`)
    if (next) { event.preventDefault(); setCurrent(at + step); next.focus() }
    if (event.key === 'c' || event.key === 'Enter') { event.preventDefault(); begin() }
  }
  return html`<div class="block" ref=${own} data-at=${at} role="group" aria-label=${lines(block)} tabindex=${at === current ? 0 : -1} onKeyDown=${keys}
      onFocus=${() => setCurrent(at)}>
    <span class="n" aria-hidden="true">${block.first}</span><${Html} class="text" text=${block.html} />
    ${!readOnly && html`<button class="do small" tabindex=${at === current ? 0 : -1} onClick=${begin} aria-label=${`Comment on ${lines(block)}`}>Comment</button>`}
    <div class="margin">${problems.map(one => html`<div class=${`note ${one.severity === 'error' ? 'bad' : ''}`}>line ${one.line}: ${one.message} <span class="d">${one.rule}${one.suggestion ? ` · ${one.suggestion}` : ''}</span></div>`)}
      ${comments.map(one => html`<${Remark} one=${one} remove=${!readOnly && (async () => { await post('uncomment', { ...asked, id: one.id }); reload() })} />`)}
      ${open && html`<${CommentForm} block=${block} quote=${open.quote} asked=${asked} done=${done} />`}</div></div>`
}

const WillRun = ({ runs }) => html`<details open><summary><strong>What will be run</strong></summary><div>
  ${runs.phases.map(phase => html`<p><strong>${phase.id}</strong> ${phase.title} <${State} of=${phase.state} /></p>
    ${phase.commands.map(one => html`<pre class="card">${one}</pre>`)}${!phase.commands.length && html`<p class="wait">◆ nothing: the phase has no check</p>`}
    ${phase.unrun.map(one => html`<p class="wait">◆ not run: <code>${one.command}</code>, because ${one.reason}</p>`)}`)}
  ${runs.around.length > 0 && html`<p class="d">By the project's settings and lock files (your approval is of the plan's text, and holds when these change):</p>
    ${runs.around.map(one => html`<p>${one.when}: <code>${one.command}</code></p>`)}`}</div></details>`

const Since = ({ since }) => html`<details open=${since.changes.length > 0}><summary><strong>Since ${nameOf(since.who)} approved it</strong> <span class="d">${when(since.at)}, ${since.strength}</span>
  ${since.changes.length ? ` — ${since.changes.length} changed` : ' — nothing changed'}</summary><div>${since.changes.map(one => html`<h2>${one.key ? `Phase ${one.key} · ` : ''}${one.title}: ${one.kind}</h2><${Diff} lines=${one.lines} />`)}</div></details>`

const Before = ({ said }) => html`<details open><summary><strong>Rejected by ${nameOf(said.who)}</strong> <span class="d">${when(said.at)}</span>
  ${said.is_same ? ' — the text is still the same' : ' — the text has changed since'}</summary><div>${said.feedback && html`<p>${said.feedback}</p>`}
  ${said.comments.length > 0 && html`<h2>What became of each comment</h2>${said.comments.map(one => html`<${Remark} one=${one} />`)}`}
  ${said.diff.length > 0 && html`<h2>The version that was rejected, and this one</h2><${Diff} lines=${said.diff} />`}</div></details>`

function Answer({ data, asked, reload }) {
  const dialog = useRef()
  const [act, told] = useAction(reload)
  const { standing, commands, comments, hash, fingerprint } = data
  const dialogUses = Object.keys(standing.needed).filter(use => standing.needed[use] === 'dialog')
  const stronger = Object.keys(standing.needed).filter(use => standing.needed[use] !== 'dialog' && !standing.enough_for.includes(use))
  const send = (name, given) => { dialog.current.close(); act(name, { ...asked, ...given }) }
  const reject = event => { event.preventDefault(); act('reject', { ...asked, feedback: new FormData(event.target).get('feedback') }); event.target.reset() }
  const isClicked = dialogUses.every(use => standing.enough_for.includes(use))
  return html`<section class="card" aria-label="Your answer"><h2>Your answer</h2>
    <p><${State} of=${standing.state} />${standing.enough_for.length > 0 ? ` — enough for: ${uses(standing.enough_for)}` : ''}</p>
    ${!standing.required && html`<p class="d">This project does without approval.</p>`}${standing.leads.length > 0 && html`<p>The lead's word is needed: ${standing.leads.join(', ')}</p>`}
    <p class="d">Fingerprint of this text: <code>${fingerprint}</code></p>
    ${dialogUses.length > 0 && !isClicked && html`<button class="main" onClick=${() => dialog.current.showModal()}>Approve …</button>`}
    ${stronger.length > 0 && html`<p>For ${uses(stronger)} the word of a person at a terminal is asked for. Type, and compare the fingerprint:</p><${Command} text=${commands.approve} />
      <p class="d">This page shows it when you have.</p>`}
    <form onSubmit=${reject}><label for="feedback">Reject: what should be different?</label><textarea id="feedback" name="feedback" maxlength="20000"></textarea>
      <button>${`Reject${comments.length ? ` with ${comments.length} comment${comments.length > 1 ? 's' : ''}` : ''}`}</button></form>
    <p class="d">A session that has this plan hears it at once. For any other:</p><div class="row"><button onClick=${() => send('refine', {})}>Let an agent revise it</button></div>
    <${Command} text=${commands.refine} />${told}
    <dialog ref=${dialog} aria-labelledby="sure"><h2 id="sure">Approve “${data.title}”?</h2>
      <p>A click has the strength <strong>dialog</strong>: enough for ${uses(dialogUses) || 'nothing here'}. A program that drives this browser could give it as well.</p>
      <p class="d">Fingerprint: <code>${fingerprint}</code></p>
      <div class="row"><button class="main" onClick=${() => send('approve', { hash })}>Approve this text</button><button onClick=${() => dialog.current.close()}>Cancel</button></div></dialog></section>`
}

function Review({ given, page, readOnly }) {
  const asked = { plan: given.plan, project: given.project }
  const { data, error, reload } = useData('plan', asked)
  const [current, setCurrent] = useState(0)
  if (!data) return html`<h1>${given.plan}</h1>${error ? html`<${Failure} error=${error} />` : html`<p class="d">Loading …</p>`}`
  const within = (list, name, block, at) => list.filter(one => one[name] >= block.first && (one[name] <= block.last || (data.blocks[at + 1]?.first ?? Infinity) > one[name]))
  const gone = data.comments.filter(one => one.place === 'gone')
  return html`<h1>${data.title}</h1><p class="d"><code>${data.path}</code>${data.request ? ` · proposed by ${data.request.agent || nameOf(data.request.member)}, ${when(data.request.at)}` : ''}${' · lint: '}${data.problems.length ? `${data.problems.length} to look at` : 'nothing'}</p>
    <${Tabs} page=${page} given=${given} />${error && html`<${Failure} error=${error} />`}
    <div class="review"><div><${WillRun} runs=${data.runs} />${data.since && html`<${Since} since=${data.since} />`}${data.rejection && html`<${Before} said=${data.rejection} />`}
      ${gone.length > 0 && html`<h2>Comments whose text is gone</h2>${gone.map(one => html`<${Remark} one=${one} remove=${!readOnly && (async () => { await post('uncomment', { ...asked, id: one.id }); reload() })} />`)}`}
      <section aria-label="The plan"><p class="d">Move with the arrows or j and k, comment with c; a selection is quoted.</p>
        ${data.blocks.map((block, at) => html`<${Block} key=${`${block.hash}-${block.first}`} ...${{ block, at, current, setCurrent, asked, reload, readOnly }}
          problems=${within(data.problems, 'line', block, at)} comments=${data.comments.filter(one => one.at_line === block.first)} />`)}</section></div>
      <aside aria-label="Answer">${readOnly ? html`<p class="d">Fingerprint: <code>${data.fingerprint}</code></p>` : html`<${Answer} data=${data} asked=${asked} reload=${reload} />`}
        ${data.standing.phases.map(one => html`<p class=${moodOf(one.state)}>${one.phase} ${one.title}: ${one.state.replaceAll('_', ' ')}${one.who ? ` by ${nameOf(one.who)}` : ''}</p>`)}</aside></div>`
}

export const REVIEW = { plan: Review }
