/** How long other windows have to say that they are looked at, and how long what is theirs stays so; in milliseconds. */
const PATIENCE = 250
const HOLD = 5000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Whether it falls to this window to tell of the message: no window of the same server is looked at, and none was first. */
export async function isOnlyPage(messageId: number): Promise<boolean> {
  const isLookedAt = document.hasFocus()
  if (!isLookedAt) await pause(PATIENCE)
  return (await isFirst(`parley message ${messageId}`)) && !isLookedAt
}

/** Takes the name for a while. Where the browser gives no locks, as without HTTPS, each window is first. */
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
