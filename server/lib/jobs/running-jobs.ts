/** The running jobs of a periodic task, by key. */
export type RunningJobs<Key> = {
  readonly size: number
  has(key: Key): boolean
  /** Tracks a job until it has finished, and then starts a new run. The job must never reject. */
  add(key: Key, job: Promise<void>): void
  /** Resolves when no job is running and a run that started after this call found no job to start. */
  settled(): Promise<void>
}

/** `run` is the `run` of a periodic task that starts due jobs and calls `add` for each. */
export function openRunningJobs<Key>(run: () => Promise<void>): RunningJobs<Key> {
  const underWay = new Map<Key, Promise<void>>()
  let begun = 0

  return {
    get size() {
      return underWay.size
    },
    has: (key) => underWay.has(key),
    add(key, job) {
      begun += 1
      underWay.set(key, job)
      void job.then(() => {
        underWay.delete(key)
        return run()
      })
    },
    async settled() {
      // Waiting until the task is idle would not work: two callers would keep starting runs for each other.
      for (let isSettled = false; !isSettled; ) {
        const [wasEmpty, begunBefore] = [underWay.size === 0, begun]
        await Promise.all([run(), ...underWay.values()])
        isSettled = wasEmpty && begun === begunBefore
      }
    },
  }
}
