/** A background job of the server. */
export type Job = {
  /** Makes the job look for work soon. */
  wake(): void
  /** Resolves when nothing is due and a timer is set for the next item. */
  settled(): Promise<void>
  /** Starts no more work; resolves when the current work has finished or has been abandoned. */
  close(): Promise<void>
  /** Returns the time since which every attempt has failed, in UNIX seconds; null if the last one succeeded. */
  failingSince(): number | null
}
