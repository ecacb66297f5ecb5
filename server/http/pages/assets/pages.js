// Enhancements of pages. Everything works without scripts as well.

for (const input of document.querySelectorAll('[data-time-zone]'))
  input.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''

for (const time of document.querySelectorAll('time[data-moment]'))
  time.textContent = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time.dateTime),
  )

for (const input of document.querySelectorAll('input[type="password"]')) {
  const label = document.querySelector(`label[for="${input.id}"]`)?.textContent ?? 'password'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain'
  button.setAttribute('aria-controls', input.id)
  button.setAttribute('aria-label', `Show: ${label}`)
  button.setAttribute('aria-pressed', 'false')
  button.textContent = 'Show'
  button.addEventListener('click', () => {
    const isShown = input.type === 'password'
    input.type = isShown ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(isShown))
  })
  const row = document.createElement('div')
  row.className = 'reveal'
  input.replaceWith(row)
  row.append(input, button)
  if (input.autocomplete === 'new-password') row.after(strengthOf(input))
  input.form?.addEventListener('submit', () => {
    input.type = 'password'
  })
}

// A copy button selects what it copies, so that people can copy it themselves if the browser refuses.
for (const button of document.querySelectorAll('button[data-copies]')) {
  const source = document.getElementById(button.dataset.copies)
  button.hidden = false
  button.addEventListener('click', async () => {
    if (source instanceof HTMLInputElement) source.select()
    else getSelection().selectAllChildren(source)
    await navigator.clipboard.writeText(source.value ?? [...source.children].map((line) => line.textContent).join('\n'))
    button.textContent = 'Copied'
  })
}

// In the desktop app, other services open in the browser of the system, which may know the person already.
const inBrowser = document.querySelector('a[data-desktop-flow]')
const bridge = window.electron_bridge
if (inBrowser !== null && typeof bridge?.decrypt_clipboard === 'function') {
  inBrowser.addEventListener('click', async (event) => {
    event.preventDefault()
    const { key, pasted } = bridge.decrypt_clipboard(1)
    const otp = [...new Uint8Array(key)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    window.open(`${inBrowser.href}&desktop_flow_otp=${otp}`, '_blank')
    const token = await pasted
    location.assign(`/accounts/login/subdomain/${encodeURIComponent(token)}`)
  })
}

// The web client welcomes users with a new account who come from one of these pages (web/browser/first-steps.ts). Every
// way to join or to sign in begins or ends at one.
sessionStorage.setItem('parley.joined', 'true')

// Empty and malformed fields show errors that look like the server's.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.noValidate = true
  form.addEventListener('submit', (event) => {
    const wrong = [...form.elements].filter((input) => input.willValidate && !input.validity.valid)
    for (const input of form.elements) showError(input, wrong.includes(input) ? input.validationMessage : null)
    if (wrong.length === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    wrong[0].focus()
  })
}

for (const input of document.querySelectorAll('input[autocomplete="new-password"]')) checkBeforeSubmit(input)

// A form cannot be submitted twice. Otherwise, users would see the response to the second request, which says that the
// invitation was used.
const SUBMIT_TIMEOUT = 15_000
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if ('sent' in form.dataset) event.preventDefault()
    form.dataset.sent = ''
    // Users who stopped the request can submit the form again.
    setTimeout(() => delete form.dataset.sent, SUBMIT_TIMEOUT)
  })
}
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const form of document.forms) delete form.dataset.sent
})

/** Shows the error of a field above it, instead of a previous one. */
function showError(input, text) {
  const id = `${input.id}-invalid`
  document.getElementById(id)?.remove()
  if (text === null) return
  const line = document.createElement('p')
  line.className = 'error'
  line.id = id
  line.textContent = text
  const row = input.closest('.reveal') ?? input
  row.before(line)
  const described = new Set((input.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean)).add(id)
  input.setAttribute('aria-describedby', [...described].join(' '))
  input.setAttribute('aria-invalid', 'true')
}

/** The problem of each new password that the server has checked; null if the password is accepted. */
const checked = new Map()

/**
 * Asks the server whether a new password is accepted. Returns its problem, or null if there is none or the server does
 * not answer; it checks the password again when the form is submitted.
 */
async function findPasswordProblem(input) {
  const { value: password } = input
  const { organization } = input.dataset
  const email = input.form?.elements.namedItem('email')?.value ?? ''
  const key = JSON.stringify([password, email])
  if (!checked.has(key)) {
    const body = new URLSearchParams({ password, email, organization })
    const answer = await fetch('/json/passwords/check', { method: 'POST', body }).catch(() => null)
    if (answer?.ok !== true) return null
    checked.set(key, (await answer.json()).problem)
  }
  return checked.get(key)
}

/** Keeps a form with a password that the server refuses from being submitted, so that its fields keep their content. */
function checkBeforeSubmit(input) {
  let isChecked = false
  input.form?.addEventListener('submit', (event) => {
    if (isChecked || event.defaultPrevented || input.value === '') return
    event.preventDefault()
    event.stopImmediatePropagation()
    void findPasswordProblem(input).then((problem) => {
      showError(input, problem)
      if (problem !== null) return input.focus()
      isChecked = true
      // A form cannot be submitted during the event of an earlier attempt.
      setTimeout(() => input.form.requestSubmit())
    })
  })
  input.addEventListener('input', () => {
    isChecked = false
    showError(input, null)
  })
}

/** The delay after a key before the server checks the password, in milliseconds. */
const CHECK_DELAY = 300

/** Creates bars and a line that show the strength of a password while the user types it, by the rule of the server. */
function strengthOf(input) {
  const bars = document.createElement('div')
  bars.className = 'strength-bars'
  bars.append(...Array.from({ length: 4 }, () => document.createElement('i')))
  const line = document.createElement('p')
  line.className = 'hint'
  line.setAttribute('role', 'status')
  const strength = document.createElement('div')
  strength.className = 'strength'
  strength.append(bars, line)
  const show = (level, text) => {
    bars.dataset.level = String(level)
    line.textContent = text
  }
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    const { value } = input
    const { length } = [...value]
    const kinds = new Set([...value.toLowerCase()]).size
    if (length === 0) return show(0, '')
    if (length < 8) return show(1, `Too short: add ${8 - length} more ${length === 7 ? 'character' : 'characters'}`)
    show(2, '')
    timer = setTimeout(async () => {
      const problem = await findPasswordProblem(input)
      if (input.value !== value) return
      if (problem !== null) show(1, problem)
      else if (length < 12 || kinds < 6) show(3, 'Good')
      else show(4, 'Strong')
    }, CHECK_DELAY)
  })
  return strength
}

// Form input survives a reload and a visit to another page. Browsers do not keep it for pages that must not be cached.
// Passwords and submitted forms are not kept.
const KEPT = 'form:not([data-sent]) input[name]:not([type="password"], [type="hidden"], [readonly])'
const keptAt = `parley.form.${location.pathname}${location.search}`
const isTicked = ({ type }) => type === 'radio' || type === 'checkbox'
const values = JSON.parse(sessionStorage.getItem(keptAt) ?? '[]')
sessionStorage.removeItem(keptAt)
for (const [at, input] of [...document.querySelectorAll(KEPT)].entries()) {
  if (at >= values.length) break
  if (isTicked(input)) input.checked = values[at]
  else if (input.value === '') input.value = values[at]
  if (!isTicked(input) && input.value !== '') input.closest('details')?.setAttribute('open', '')
}
addEventListener('pagehide', () => {
  const held = [...document.querySelectorAll(KEPT)].map((input) => (isTicked(input) ? input.checked : input.value))
  if (held.length > 0) sessionStorage.setItem(keptAt, JSON.stringify(held))
})

// A browser without a session keeps no messages and no page of the client (web/store/cache, web/app/offline).
if (location.pathname === '/login/') void forget().catch(() => {})

async function forget() {
  for (const { name } of (await globalThis.indexedDB?.databases?.()) ?? [])
    if (name.startsWith('parley-cache.')) indexedDB.deleteDatabase(name)
  await globalThis.caches?.delete('parley-page')
}

// A passkey signs a challenge of the server, and its form is submitted with the response. The same holds for a new passkey.
// A box of the page's first form
// counts for this form, too.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const canAsk = globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined
  form.hidden = !canAsk
  const button = form.querySelector('button')
  const error = form.querySelector('.error')
  button.addEventListener('click', async () => {
    button.disabled = true
    error.hidden = true
    try {
      const answer = await fetch(form.dataset.passkey)
      const options = await answer.json()
      const credential =
        'new' in form.dataset
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      form.elements.passkey.value = JSON.stringify(credential.toJSON())
      for (const name of ['trust', 'keep']) {
        const box = document.querySelector(`input[type="checkbox"][name="${name}"]`)
        if (box !== null && form.elements[name] !== undefined) form.elements[name].value = box.checked ? 'on' : ''
      }
      form.submit()
    } catch {
      error.hidden = false
      button.disabled = false
    }
  })
}
