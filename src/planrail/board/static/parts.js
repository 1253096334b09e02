// What all pages are made with: the token, requests, the stream of what happens, small parts.
import { html, useEffect, useMemo, useRef, useState } from './preact.js'

const KEY = 'planrail-token'
const policy = window.trustedTypes
  ? trustedTypes.createPolicy('planrail', { createHTML: text => text }) // what the server has rendered and sanitised
  : { createHTML: text => text }

export function takeToken() {
  // The token stands behind the # of the link, which no browser sends; it is taken out of the address at once.
  const found = location.hash.slice(1)
  if (found && !found.startsWith('/')) {
    sessionStorage.setItem(KEY, found)
    history.replaceState(null, '', '/#/inbox')
  }
}
const headers = () => ({ Authorization: `Bearer ${sessionStorage.getItem(KEY)}` })

async function answer(response) {
  const told = await response.json().catch(() => ({ error: `the answer ${response.status} could not be read` }))
  if (!response.ok) throw Object.assign(new Error(told.error), { remedy: told.remedy, status: response.status })
  return told
}

export const get = async (name, given = {}) =>
  answer(await fetch(`/api/${name}?${new URLSearchParams(given)}`, { headers: headers(), cache: 'no-store' }))

export const post = async (name, given = {}) =>
  answer(await fetch(`/api/${name}`, {
    method: 'POST', headers: { ...headers(), 'Content-Type': 'application/json' }, body: JSON.stringify(given),
  }))

// ---- what happens, as it happens ----

const hearers = new Set()
const tell = message => hearers.forEach(hear => hear(message))

async function follow(given, signal) {
  const response = await fetch('/api/events', {
    method: 'POST', signal, headers: { ...headers(), 'Content-Type': 'application/json' }, body: JSON.stringify(given),
  })
  if (!response.ok) throw new Error(String(response.status))
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ;) {
    const { value, done } = await reader.read()
    if (done) return
    const parts = (text + value).split('\n\n')
    text = parts.pop()
    for (const part of parts) if (part.startsWith('data: ')) tell(JSON.parse(part.slice(6)))
  }
}

export function useStream(project, plan = '') {
  const [state, setState] = useState('connecting')
  useMessages(message => { if (message.kind === 'hello') setState('live') })
  useEffect(() => {
    if (!project) return
    const ending = new AbortController()
    const run = async () => {
      for (let pause = 500; !ending.signal.aborted; pause = Math.min(pause * 2, 10000)) {
        try {
          const open = follow({ project, plan }, ending.signal)
          tell({ kind: 'changed' })
          await open
        } catch { /* said below */ }
        if (ending.signal.aborted) return
        setState('not connected: is `planrail board` still running?')
        await new Promise(resolve => setTimeout(resolve, pause))
      }
    }
    run()
    return () => ending.abort()
  }, [project, plan])
  return state
}

export function useMessages(hear) {
  const newest = useRef(hear)
  newest.current = hear
  useEffect(() => {
    const one = message => newest.current(message)
    hearers.add(one)
    return () => hearers.delete(one)
  }, [])
}

export function useData(name, given) {
  const [found, setFound] = useState({})
  const key = JSON.stringify([name, given])
  const state = useRef({})
  const load = async () => {
    if (state.current.busy) { state.current.again = true; return }
    state.current.busy = true
    try { const data = await get(name, given); if (state.current.key === key) setFound({ data }) }
    catch (error) { if (state.current.key === key) setFound(before => ({ ...before, error })) }
    state.current.busy = false
    if (state.current.again) { state.current.again = false; setTimeout(load, 300) }
  }
  useEffect(() => { state.current = { key }; setFound({}); load() }, [key])
  useMessages(message => { if (message.kind !== 'hello' && message.kind !== 'output') load() })
  return { ...found, reload: load }
}

// ---- small parts ----

const MOODS = {
  good: 'landed done adopted told complete passed skipped approved taken proven phase_done here',
  bad: 'failed stopped declined stuck changed missing blocked error gone too_weak taken_back refused interrupted',
  now: 'in_progress running implementing', wait: 'waiting paused parked approval sign-off schedule warning unchanged moved',
}
const SIGNS = { good: '✔ ', bad: '✖ ', now: '● ', wait: '◆ ' }
export const moodOf = state => Object.keys(MOODS).find(mood => MOODS[mood].split(' ').includes(state)) || 'd'
export const State = ({ of }) => {
  const mood = moodOf(of)
  return html`<strong class=${mood}>${SIGNS[mood] || ''}${String(of || '—').replaceAll('_', ' ')}</strong>`
}
export const when = at => at ? new Date(at * 1000).toLocaleString() : '—'
export const span = given => {
  const seconds = Math.round(given)
  return given == null ? '—' : seconds < 60 ? `${seconds} s`
    : seconds < 3600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${(seconds / 3600).toFixed(1)} h`
}
export const nameOf = who => String(who || '').split(' <')[0]
export const href = (page, given) => `#/${page}?${new URLSearchParams(given)}`

export function Html({ text, class: name }) {
  const trusted = useMemo(() => ({ __html: policy.createHTML(text) }), [text])
  return html`<div class=${name} dangerouslySetInnerHTML=${trusted}></div>`
}

export function Command({ text }) {
  const [told, setTold] = useState('Copy')
  const copy = () => navigator.clipboard.writeText(text).then(() => setTold('Copied'), () => setTold('Not copied'))
  return html`<div class="cmd"><code>${text}</code>
    <button class="small" onClick=${copy} aria-label=${`Copy the command ${text}`}>${told}</button></div>`
}

export function Diff({ lines }) {
  const kind = line => line.startsWith('diff ') ? 'f' : /^(\+\+\+|---|@@|index |new file|deleted|similarity|rename)/.test(line) ? 'h'
    : line[0] === '+' ? 'a' : line[0] === '-' ? 'r' : ''
  return html`<div class="diff" tabindex="0" role="region" aria-label="Difference">
    ${lines.map(line => html`<div class=${kind(line)}>${line || ' '}</div>`)}</div>`
}

export const Table = ({ caption, head, rows }) => html`<div class="wide" tabindex="0" role="region" aria-label=${caption}>
  <table><caption>${caption}</caption><thead><tr>${head.map(one => html`<th scope="col">${one}</th>`)}</tr></thead>
  <tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`

export const Failure = ({ error }) => html`<div class="note bad" role="alert">${error.message}
  ${error.remedy && html`<div class="d">${error.remedy}</div>`}</div>`

export function Tabs({ page, given }) {
  const names = { plan: 'Review', run: 'Run', timeline: 'Timeline', evidence: 'Evidence' }
  const { plan, project } = given
  return html`<nav class="tabs" aria-label="This plan">${Object.entries(names).map(([name, title]) =>
    html`<a href=${href(name, { plan, project })} aria-current=${name === page ? 'page' : null}>${title}</a>`)}</nav>`
}

export function useAction(reload) {
  const [told, setTold] = useState(null)
  const act = async (name, given) => {
    setTold({ text: '…' })
    try { setTold(await post(name, given)) } catch (error) { setTold({ error }) }
    reload()
  }
  const shown = told && (told.error ? html`<${Failure} error=${told.error} />`
    : html`<div class="note good" role="status">${told.text || 'Done.'}${told.command && html`<${Command} text=${told.command} />`}</div>`)
  return [act, shown]
}
