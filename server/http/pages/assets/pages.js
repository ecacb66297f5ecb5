// Enhancements of pages. Everything works without scripts as well.

for (const input of document.querySelectorAll('[data-time-zone]'))
  input.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''

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

// The web client welcomes users who come straight from one of these forms (web/store/browser/checklist.ts).
sessionStorage.removeItem('parley.joined')
document
  .querySelector('form[action="/accounts/register/"], form[action^="/new/"]')
  ?.addEventListener('submit', () => sessionStorage.setItem('parley.joined', 'true'))

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

/** Creates a line that shows the strength of a password while the user types it. */
function strengthOf(input) {
  const line = document.createElement('p')
  line.className = 'hint'
  line.setAttribute('role', 'status')
  input.addEventListener('input', () => {
    const { length } = [...input.value]
    const kinds = new Set([...input.value.toLowerCase()]).size
    if (length === 0) line.textContent = ''
    else if (length < 8)
      line.textContent = `Too short: add ${8 - length} more ${length === 7 ? 'character' : 'characters'}`
    else if (length < 12 || kinds < 6) line.textContent = 'Fair: a few more characters make it strong'
    else line.textContent = 'Strong'
  })
  return line
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
