/**
 * The time that a window without the focus waits before it claims a message, and the time for which a claim lasts, in
 * milliseconds.
 */
const PATIENCE = 250
const HOLD = 5000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * Returns true if this window should show the notification of a message: no window of the same server has the focus,
 * and no other window has claimed the message.
 */
export async function isOnlyPage(messageId: number): Promise<boolean> {
  const isLookedAt = document.hasFocus()
  if (!isLookedAt) await pause(PATIENCE)
  return (await isFirst(`parley message ${messageId}`)) && !isLookedAt
}

/**
 * Claims the name for `HOLD` milliseconds. Returns true if no other window has claimed it. Locks need HTTPS; without
 * them, every window succeeds.
 */
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
