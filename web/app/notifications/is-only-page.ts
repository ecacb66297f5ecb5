/** Time that other windows have to report that they are visible, and time that a claim lasts; in milliseconds. */
const PATIENCE = 250
const HOLD = 5000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * Returns true if this window should notify: no window of the same server is visible, and none has claimed the message.
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
