// The frame: the menu, the address behind the # and the page that it names.
import { html, render, useEffect, useState } from './preact.js'
import { Failure, get, href, takeToken, useStream } from './parts.js'
import { PAGES } from './pages.js'
import { REVIEW } from './review.js'

const pages = { ...PAGES, ...REVIEW }
takeToken()

const MENU = { inbox: 'Inbox', plans: 'Plans', tasks: 'Tasks', queue: 'Queue', costs: 'Costs' }

function readAddress() {
  const [name, query] = location.hash.slice(2).split('?')
  return { page: pages[name] ? name : 'inbox', given: Object.fromEntries(new URLSearchParams(query)) }
}

function Board() {
  const [at, setAt] = useState(readAddress)
  const [start, setStart] = useState({})
  useEffect(() => {
    get('start').then(data => setStart({ data }), error => setStart({ error }))
    const move = () => { takeToken(); setAt(readAddress()); scrollTo(0, 0); document.querySelector('main').focus() }
    addEventListener('hashchange', move)
    return () => removeEventListener('hashchange', move)
  }, [])
  const projects = start.data?.projects || []
  const project = at.given.project || projects[0]?.key
  const state = useStream(project, at.given.plan)
  const given = { ...at.given, project }
  const Page = pages[at.page]
  useEffect(() => { document.title = `${MENU[at.page] || at.given.plan || at.page} · planrail` }, [at])
  if (start.error) return html`<main tabindex="-1"><h1>planrail</h1><${Failure} error=${start.error} />
    <p>Type <code>planrail board</code> in a terminal of yours, and open the link that it shows.</p></main>`
  if (!project) return html`<main tabindex="-1"><h1>planrail</h1><p class="d">Loading …</p></main>`
  return html`
    <a class="skip" href="#main" onClick=${event => { event.preventDefault(); document.querySelector('main').focus() }}>Skip to the page</a>
    <header class="head"><strong>planrail</strong>
      <nav aria-label="Pages">${Object.entries(MENU).map(([name, title]) =>
        html`<a href=${href(name, { project })} aria-current=${name === at.page ? 'page' : null}>${title}</a>`)}</nav>
      ${projects.length > 1 ? html`<select aria-label="Project" value=${project}
          onChange=${event => { location.hash = href('inbox', { project: event.target.value }) }}>
          ${projects.map(one => html`<option value=${one.key} selected=${one.key === project}>${one.name}</option>`)}</select>`
        : html`<span class="d">${projects[0]?.name}</span>`}
      <span class="state" role="status">${state}</span></header>
    <main id="main" tabindex="-1">
      ${start.data.read_only && html`<div class="note">This board only shows: ${start.data.read_only}</div>`}
      <${Page} key=${at.page + given.plan} given=${given} page=${at.page} readOnly=${!!start.data.read_only} /></main>`
}

render(html`<${Board} />`, document.body)
