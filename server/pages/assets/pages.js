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
