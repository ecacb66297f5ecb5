// Solves the puzzle of a form in a worker while people fill in the form, and sends a form that was submitted before.

for (const field of document.querySelectorAll('.proof')) {
  const { worker: address, nonce, bits, seconds, failed } = field.dataset
  const input = field.querySelector('input')
  const [box, hint, bar] = [field.querySelector('div'), field.querySelector('p.hint'), field.querySelector('progress')]
  const form = input.form
  const openedAt = performance.now()
  let isWaiting = false

  const policy = globalThis.trustedTypes?.createPolicy('parley-proof', { createScriptURL: (url) => url })
  const worker = new Worker(policy?.createScriptURL(address) ?? address)
  worker.addEventListener('message', ({ data }) => {
    bar.value = data.progress ?? 1
    if (data.solution === undefined) return
    input.value = `${input.dataset.challenge} ${data.solution}`
    worker.terminate()
    hint.textContent = hint.dataset.done
    if (isWaiting) form.requestSubmit()
  })
  worker.addEventListener('error', () => {
    hint.textContent = failed
    box.hidden = false
  })
  worker.postMessage({ nonce, bits: Number(bits) })

  form.addEventListener('submit', (event) => {
    // The page keeps its input when it is reloaded.
    const isOld = performance.now() - openedAt > (Number(seconds) - 60) * 1000
    if (event.defaultPrevented || (input.value !== '' && !isOld)) return
    event.preventDefault()
    delete form.dataset.sent
    if (isOld) return location.reload()
    isWaiting = true
    box.hidden = false
    hint.textContent = hint.dataset.busy
  })
}
