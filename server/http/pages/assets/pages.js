// What pages gain where there are scripts; without them everything works as well.

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

// The web client welcomes whoever comes straight from here (web/store/tour.ts).
sessionStorage.removeItem('parley.joined')
document
  .querySelector('form[action="/accounts/register/"]')
  ?.addEventListener('submit', () => sessionStorage.setItem('parley.joined', 'true'))

// A form that was sent twice would be answered about the second time: that the invitation in it is used.
const UNANSWERED = 15_000
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if ('sent' in form.dataset) event.preventDefault()
    form.dataset.sent = ''
    // Whoever stopped the browser in between can send it again.
    setTimeout(() => delete form.dataset.sent, UNANSWERED)
  })
}
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const form of document.forms) delete form.dataset.sent
})

/** A line that says, while somebody chooses a password, what it is worth. */
function strengthOf(input) {
  const line = document.createElement('p')
  line.className = 'hint'
  line.setAttribute('role', 'status')
  input.addEventListener('input', () => {
    const { length } = [...input.value]
    const kinds = new Set([...input.value.toLowerCase()]).size
    if (length === 0) line.textContent = ''
    else if (length < 8) line.textContent = `Too short: ${8 - length} more`
    else if (length < 12 || kinds < 6) line.textContent = 'Fair: some more characters make it strong'
    else line.textContent = 'Strong'
  })
  return line
}

// What was filled in outlives a reload, and another page in between, which browsers forget of pages that they may not
// store; never passwords, and nothing of a form that was sent.
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
