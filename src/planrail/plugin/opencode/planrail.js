// planrail in opencode: each event is handed to planrail's hook as JSON, and its answer is carried out.
// While a session plans, whatever goes wrong is a denial; everywhere else it is a message, and work goes on.
import { spawn } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const WRAPPER = "@WRAPPER@"
const MILLISECONDS = 60_000
const AT_A_STOP = 600_000 // the checks of a phase may be run

const stateFolder = () =>
  process.env.PLANRAIL_STATE_DIR ||
  join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "planrail")

// Where the user has planrail for every project, the project's own copy leaves the answers to that one. A project's `.env`
// may set where that is: a folder of the project is not the user's.
const isSecond = (directory) => {
  const moved = process.env.XDG_CONFIG_HOME
  const isMoved = moved && existsSync(moved) && !`${realpathSync(moved)}/`.startsWith(`${realpathSync(directory)}/`)
  const first = join(isMoved ? moved : join(homedir(), ".config"), "opencode", "plugins", "planrail.js")
  const here = realpathSync(fileURLToPath(import.meta.url))
  return existsSync(first) && realpathSync(first) !== here && readFileSync(first, "utf8").includes("planrail init")
}

// A session that planrail keeps a file for may be planning: nothing passes there by accident.
const isActive = (session) => existsSync(join(stateFolder(), "sessions", "opencode", `${session}.json`))

// `opencode run "approve the plan"` puts quotes around what was one argument, and a backslash before those inside it.
const unquote = (text) => text.replace(/^"((?:\\"|[^"])*)"$/, (_, inside) => inside.replaceAll('\\"', '"'))

const start = (event) =>
  new Promise((resolve, reject) => {
    const child = spawn("sh", [WRAPPER, "opencode", event.hook_event_name], { cwd: event.cwd })
    const longest = event.hook_event_name === "session.idle" ? AT_A_STOP : MILLISECONDS
    const timer = setTimeout(() => child.kill("SIGKILL"), longest)
    let out = ""
    let err = ""
    child.stdout.on("data", (part) => (out += part))
    child.stderr.on("data", (part) => (err += part))
    child.stdin.on("error", () => {}) // the hook may answer without having read everything
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, out: out.trim(), err: err.trim() })
    })
    child.stdin.end(JSON.stringify(event))
  })

const run = async (event) => {
  try {
    const { code, out, err } = await start(event)
    if (code === 2) return { decision: "deny", reason: err || "planrail denied it" }
    if (code !== 0) return { failed: err || `it ended with ${code}` }
    return out ? JSON.parse(out) : {}
  } catch (error) {
    return { failed: error.message }
  }
}

export const Planrail = async ({ client, directory }) => {
  if (!existsSync(WRAPPER)) return {} // planrail was removed: `planrail uninstall` would have removed this file
  if (isSecond(directory)) return {}

  // A sub-agent has a session of its own, and is held to the rules of the one that a person talks to.
  const parents = new Map()
  const quietly = async (request) => {
    try {
      return await request()
    } catch {
      return undefined
    }
  }
  const rootOf = async (session) => {
    if (!parents.has(session)) {
      const known = await quietly(() => client.session.get({ path: { id: session } }))
      if (known?.data) parents.set(session, known.data.parentID)
    }
    const parent = parents.get(session)
    return parent ? rootOf(parent) : session
  }
  const tell = (message, variant) =>
    quietly(() => client.tui.showToast({ body: { title: "planrail", message, variant } }))

  const ask = async (name, session, fields = {}) => {
    const answer = await run({ hook_event_name: name, session_id: session, cwd: directory, ...fields })
    if (answer.failed !== undefined) {
      const reason = `planrail's hook failed: ${answer.failed}. To see why: planrail doctor`
      if (isActive(session)) return { decision: "deny", reason }
      await tell(reason, "warning")
      return {}
    }
    if (answer.message) await tell(answer.message, "info")
    return answer
  }

  const askFirst = async (name, session, fields) => {
    const answer = await ask(name, session, fields)
    if (answer.decision) throw new Error(answer.reason || "planrail denied it")
    return answer
  }

  return {
    "chat.message": async (input, output) => {
      const text = output.parts.find((part) => part.type === "text" && !part.synthetic)
      if (!text || (await rootOf(input.sessionID)) !== input.sessionID) return // an agent's words, not a person's
      const answer = await askFirst("chat.message", input.sessionID, { prompt: unquote(text.text) })
      if (answer.context) text.text += `\n\n<planrail>\n${answer.context}\n</planrail>`
    },
    "tool.execute.before": async (input, output) => {
      const session = await rootOf(input.sessionID)
      await askFirst("tool.execute.before", session, { tool_name: input.tool, tool_input: output.args })
    },
    "tool.execute.after": async (input, output) => {
      const session = await rootOf(input.sessionID)
      if (!isActive(session)) return
      const fields = { tool_name: input.tool, tool_input: input.args, tool_response: output.output }
      const answer = await ask("tool.execute.after", session, fields)
      if (answer.context) output.output += `\n\n<planrail>\n${answer.context}\n</planrail>`
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session || !isActive(session)) return
      if (event.type === "session.idle") {
        const said = await quietly(() => client.session.messages({ path: { id: session } }))
        const last = (said?.data ?? []).findLast((message) => message.info?.role === "assistant")
        const texts = (last?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text)
        const answer = await ask("session.idle", session, { last_assistant_message: texts.join("\n") })
        if (answer.decision) await tell(answer.reason, "warning") // opencode has no way to hold a stop
      } else if (event.type === "session.deleted") await ask("session.deleted", session)
    },
  }
}
