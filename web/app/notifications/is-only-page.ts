/** Milliseconds that a focused window has to claim a message first, and for which a claim lasts. */
const PATIENCE = 250
const HOLD = 5000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * Returns true if this window should notify: no window of the same server has the focus, and no other one has claimed
 * the message.
 */
export async function isOnlyPage(messageId: number): Promise<boolean> {
  const isLookedAt = document.hasFocus()
  if (!isLookedAt) await pause(PATIENCE)
  return (await isFirst(`parley message ${messageId}`)) && !isLookedAt
}

/** Claims the name for a while. Without locks, which need HTTPS, every window succeeds. */
function isFirst(name: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager }
  if (locks === undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null)
      return lock === null ? undefined : pause(HOLD)
    }
    locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(true))
  })
}
