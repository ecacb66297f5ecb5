/**
 * Loaded before each test file: when its process ends, adds a line to the file that PARLEY_TEST_COST names, with the
 * file and the CPU time that it and the processes that it waited for took, in milliseconds.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Ticks of the times in /proc: 100 a second on every Linux. */
const MILLISECONDS_PER_TICK = 10

/** Returns the CPU time of this process in milliseconds; on Linux including its ended children. */
export function cpuTime() {
  try {
    // The fields after the name of the program: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * MILLISECONDS_PER_TICK
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

const target = process.env.PARLEY_TEST_COST
if (target !== undefined && isMainThread) {
  process.once('exit', () => appendFileSync(target, `${JSON.stringify({ file: process.argv[1], cpu: cpuTime() })}\n`))
}
