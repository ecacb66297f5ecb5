// The API explorer: forms in the API reference that send real calls as the user who is logged in, and show them as
// curl, Python and JavaScript. Nothing is sent before a click. The page can be read without it.

const csrfToken = document.querySelector('meta[name="csrf-token"]')?.content
const email = document.querySelector('meta[name="user-email"]')?.content

/** The characters of a response that are shown. */
const MAX_SHOWN = 100_000

/** Returns an element. `properties` are set on it; `children` are elements and texts. */
function make(tag, properties = {}, ...children) {
  const { attributes = {}, ...others } = properties
  const element = Object.assign(document.createElement(tag), others)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

for (const section of document.querySelectorAll('section[data-call]')) {
  const button = make('button', { type: 'button', textContent: 'Try it', attributes: { 'aria-expanded': 'false' } })
  button.setAttribute('aria-label', `Try it: ${section.querySelector('h2').textContent}`)
  let panel = null
  button.addEventListener('click', () => {
    panel ??= openPanel(section)
    if (panel.parentNode === null) button.after(panel)
    else panel.remove()
    button.setAttribute('aria-expanded', String(panel.parentNode !== null))
  })
  section.querySelector('h2 + p').after(button)
}

/** Returns the form of an endpoint with its code samples and results. */
function openPanel(section) {
  const [method, path] = section.dataset.call.split(' ')
  const { id } = section.querySelector('h2')
  const fields = [...section.querySelectorAll('tr[data-name]')].map((row) => toField(row, id))
  const file = 'files' in section.dataset ? make('input', { type: 'file', id: `${id}-file` }) : null
  const wantsEvents = make('input', { type: 'checkbox' })
  const send = make('button', { className: 'primary', textContent: 'Send' })
  const results = make('div', { className: 'explorer', hidden: true, attributes: { 'aria-live': 'polite' } })
  const samples = openSamples(() => readCall({ method, path, fields, file }).call)
  const hasSession = csrfToken !== undefined && section.dataset.who !== 'webhook bot'

  const form = make('form', { className: 'explorer', noValidate: true })
  if (fields.length > 0 || file !== null)
    form.append(
      make(
        'div',
        { className: 'explorer-fields' },
        ...fields.map(({ element }) => element),
        ...(file === null ? [] : [fieldOf('file', file, make('span'))]),
      ),
    )
  form.append(samples.element)
  if (hasSession) {
    const label = make('label', { className: 'explorer-check' }, wantsEvents, 'Show the events that the call causes')
    const note = make('p', { className: 'soft', textContent: `You call as ${email}. Calls change real data.` })
    form.append(label, note, make('div', { className: 'explorer-row' }, send), results)
  } else form.append(withoutSession(section))

  form.addEventListener('input', samples.update)
  form.addEventListener('focusout', ({ target }) => {
    const field = fields.find(({ control }) => control === target)
    if (field === undefined) return
    field.isTouched = true
    showError(field)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    for (const field of fields) field.isTouched = true
    const { call, wrong } = readCall({ method, path, fields, file })
    wrong[0]?.focus()
    if (wrong.length > 0 || send.disabled) return
    if ('danger' in section.dataset && !(await isConfirmed(call))) return
    send.disabled = true
    try {
      await run(call, wantsEvents.checked, results)
    } finally {
      send.disabled = false
    }
  })
  samples.update()
  return form
}

/** Returns the text beside code samples of calls that cannot be sent from here. */
function withoutSession(section) {
  if (section.dataset.who === 'webhook bot')
    return make('p', { className: 'soft', textContent: 'Needs the API key of a bot, so it cannot be sent from here.' })
  const link = make('a', { href: `/login/?next=${encodeURIComponent('/api')}`, textContent: 'Log in' })
  return make('p', {}, link, ' to send calls from here.')
}

/** Returns a parameter with its control. */
function toField(row, sectionId) {
  const { name, place, kind, required, options } = row.dataset
  const id = `${sectionId}-${name}`
  const error = make('span', { className: 'explorer-error', id: `${id}-error` })
  const attributes = { 'aria-describedby': error.id, autocomplete: 'off', spellcheck: 'false' }
  const isSecret = /password/.test(name)
  const control =
    options !== undefined
      ? make('select', { id, attributes }, ...['', ...JSON.parse(options)].map((value) => new Option(value, value)))
      : kind === 'json' || name === 'content'
        ? make('textarea', { id, attributes, rows: 2, placeholder: kind === 'json' ? 'JSON' : '' })
        : make('input', { id, attributes, type: isSecret ? 'password' : 'text' })
  const isRequired = required !== undefined
  if (isRequired) control.setAttribute('aria-required', 'true')
  const element = fieldOf(name, control, error, isRequired)
  return { name, place, kind, isRequired, isSecret, control, error, element, isTouched: false }
}

function fieldOf(name, control, error, isRequired = false) {
  const label = make('label', { htmlFor: control.id }, make('code', { textContent: name }))
  if (isRequired) label.append(' (required)')
  return make('div', { className: 'explorer-field' }, label, control, error)
}

/** Returns the error of a field; false if there is none. */
const problemOf = ({ control: { value }, isRequired, kind }) =>
  value === '' ? isRequired && 'Enter a value.' : kind !== 'text' && !isJson(value) && 'Enter JSON.'

/** Shows the error of a field that the user has left, or that was to be sent. */
function showError(field) {
  const problem = field.isTouched && problemOf(field)
  field.error.textContent = problem || ''
  field.control.setAttribute('aria-invalid', String(problem !== false))
}

/**
 * Returns the call as it is filled in, and the controls with errors. Shows the errors of fields that the user has left.
 * Empty fields are left out.
 */
function readCall({ method, path, fields, file }) {
  const wrong = []
  const params = []
  let filled = path
  for (const field of fields) {
    const { name, place, kind, isSecret, control } = field
    const value = control.value
    showError(field)
    if (problemOf(field) !== false) wrong.push(control)
    if (place === 'path') filled = filled.replace(`{${name}}`, value === '' ? `{${name}}` : encodeURIComponent(value))
    else if (value !== '') params.push({ name, value, isSecret, isText: kind === 'text' })
  }
  return { call: { method, path: filled, params, file: file?.files[0] ?? null }, wrong }
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Asks before a call that deletes something. */
function isConfirmed({ method, path }) {
  const cancel = make('button', { value: 'cancel', textContent: 'Cancel', autofocus: true })
  const send = make('button', { value: 'send', className: 'danger', textContent: `Send ${method}` })
  const title = make('h2', { id: 'confirmation', textContent: `Send ${method} ${path}?` })
  const dialog = make(
    'dialog',
    { attributes: { 'aria-labelledby': title.id } },
    title,
    make('p', { textContent: 'This call deletes, deactivates or replaces real data. You can’t undo it here.' }),
    make('form', { method: 'dialog', className: 'explorer-row' }, cancel, send),
  )
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'send')
    })
  })
}

/** Sends a request under /json, as the web client does. Returns its status and its text. */
async function request(method, path, params, { file = null, keepalive = false } = {}) {
  const fields = new URLSearchParams(params)
  const isRead = method === 'GET'
  const body = file === null ? fields : new FormData()
  if (file !== null) {
    for (const [name, value] of fields) body.append(name, value)
    body.append('file', file)
  }
  const address = `/json${path}${isRead && fields.size > 0 ? `?${fields}` : ''}`
  const response = await fetch(address, {
    method,
    keepalive,
    headers: { 'X-CSRFToken': csrfToken },
    ...(!isRead && { body }),
  })
  return { status: response.status, text: await response.text() }
}

/** Sends the call and shows its response and, if they are wanted, its events. */
async function run({ method, path, params, file }, wantsEvents, results) {
  results.hidden = false
  results.replaceChildren(make('p', { textContent: 'Sending…' }))
  try {
    const queue = wantsEvents ? await openQueue() : null
    try {
      const startedAt = performance.now()
      const sent = await request(
        method,
        path,
        params.map(({ name, value }) => [name, value]),
        { file },
      )
      const duration = Math.round(performance.now() - startedAt)
      results.replaceChildren(...block(`Response: ${sent.status}, ${duration} ms`, pretty(sent.text)))
      if (queue === null) return
      const events = await queue.read()
      results.append(...block(countOf(events), events.map((event) => JSON.stringify(event, null, 2)).join('\n')))
    } finally {
      await queue?.close()
    }
  } catch (error) {
    const textContent = error instanceof TypeError ? 'No response. Try again.' : error.message
    results.replaceChildren(make('p', { className: 'explorer-error', textContent }))
  }
}

const countOf = ({ length }) => (length === 0 ? 'No events' : length === 1 ? '1 event' : `${length} events`)

function block(title, text) {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text
  const code = make('pre', { tabIndex: 0, attributes: { role: 'region', 'aria-label': title } })
  code.append(make('code', { textContent: shown }))
  return [make('h3', { textContent: title }), ...(text === '' ? [] : [code])]
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Seconds for which events may follow a call, and milliseconds between two looks for them. */
const EVENT_TIME = 2
const EVENT_PAUSE = 250

/**
 * Opens an event queue. `read` returns the events until none has come for half a second. The queue must be closed; one
 * of a page that is left closes with it.
 */
async function openQueue() {
  const { text } = await request('POST', '/register', [
    ['fetch_event_types', '[]'],
    ['apply_markdown', 'true'],
  ])
  const { queue_id, last_event_id, msg } = JSON.parse(text)
  if (queue_id === undefined) throw new Error(`Could not register for events, so the call was not sent: ${msg}`)
  let after = last_event_id
  const close = () => {
    removeEventListener('pagehide', close)
    return request('DELETE', '/events', [['queue_id', queue_id]], { keepalive: true })
  }
  addEventListener('pagehide', close)
  return {
    close,
    async read() {
      const events = []
      for (let quiet = 0, waited = 0; quiet < 2 && waited < EVENT_TIME * 1000; waited += EVENT_PAUSE) {
        const params = [
          ['queue_id', queue_id],
          ['last_event_id', after],
          ['dont_block', 'true'],
        ]
        const found = JSON.parse((await request('GET', '/events', params)).text).events ?? []
        events.push(...found.filter(({ type }) => type !== 'heartbeat'))
        after = events.at(-1)?.id ?? after
        quiet = found.length === 0 ? quiet + 1 : 0
        await new Promise((resolve) => setTimeout(resolve, EVENT_PAUSE))
      }
      return events
    },
  }
}

/** Returns the code samples of a call: buttons for the languages, the code, and a button that copies it. */
function openSamples(current) {
  const languages = { curl: toCurl, Python: toPython, JavaScript: toJavaScript }
  let language = 'curl'
  const code = make('code')
  const frame = make('pre', { tabIndex: 0, attributes: { role: 'region', 'aria-label': 'Code' } }, code)
  const buttons = Object.keys(languages).map((name) =>
    make('button', {
      type: 'button',
      textContent: name,
      onclick() {
        language = name
        update()
      },
    }),
  )
  const copy = make('button', { type: 'button', textContent: 'Copy' })
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy'
    }, 2000)
  })
  function update() {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === language))
    code.textContent = languages[language](withoutSecrets(current()))
  }
  const row = make('div', { className: 'explorer-row' }, ...buttons, copy)
  return { element: make('div', { className: 'explorer-samples' }, row, frame), update }
}

/** Passwords do not belong into code that people copy. */
const withoutSecrets = (call) => ({
  ...call,
  params: call.params.map((param) => (param.isSecret ? { ...param, value: 'PASSWORD' } : param)),
})

const api = `${location.origin}/api/v1`
const account = email ?? 'EMAIL'

const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`

function toCurl({ method, path, params, file }) {
  const lines = [
    `curl ${method === 'GET' ? '-G' : `-X ${method}`} ${inShell(api + path)}`,
    `-u ${inShell(`${account}:API_KEY`)}`,
    ...params.map(({ name, value }) => `${file ? '--form-string' : '--data-urlencode'} ${inShell(`${name}=${value}`)}`),
    ...(file ? [`-F ${inShell(`file=@${file.name}`)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Returns the code of a value of JSON in Python. */
function inPython(value) {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${inPython(one)}`)
    .join(', ')}}`
}

function toPython({ method, path, params, file }) {
  const values = params.map(({ name, value, isText }) => {
    const parsed = isText || !isJson(value) ? value : JSON.parse(value)
    return `        ${JSON.stringify(name)}: ${inPython(parsed)},\n`
  })
  return `import zulip

client = zulip.Client(config_file="~/zuliprc")
result = client.call_endpoint(
    url=${JSON.stringify(path.slice(1))},
    method=${JSON.stringify(method)},
${values.length > 0 ? `    request={\n${values.join('')}    },\n` : ''}${
  file ? `    files=[open(${JSON.stringify(file.name)}, "rb")],\n` : ''
})
print(result)`
}

function toJavaScript({ method, path, params, file }) {
  const values = params.map(({ name, value }) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`).join('')
  const isRead = method === 'GET'
  const hasParams = params.length > 0
  const setUp = hasParams ? `const params = new URLSearchParams({\n${values}})\n` : ''
  const form = file
    ? `const body = new FormData()\n${hasParams ? 'for (const [name, value] of params) body.append(name, value)\n' : ''}body.append("file", await fs.openAsBlob(${JSON.stringify(file.name)}), ${JSON.stringify(file.name)})\n`
    : ''
  const url = JSON.stringify(api + path)
  const body = file ? '  body,\n' : !isRead && hasParams ? '  body: params,\n' : ''
  return `${file ? 'import fs from "node:fs"\n\n' : ''}${setUp}${form}const response = await fetch(${
    isRead && hasParams ? `\`${api}${path}?\${params}\`` : url
  }, {
  method: ${JSON.stringify(method)},
  headers: { Authorization: "Basic " + btoa(${JSON.stringify(`${account}:API_KEY`)}) },
${body}})
console.log(await response.json())`
}
