import { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// A process that is started with `--import=…/kill-at-change.ts?N` is killed right before it renames or removes a file or
// folder for the Nth time, counted from 1.

const last = Number(new URL(import.meta.url).search.slice(1))
let count = 0

function killedAtLast<Parameters extends unknown[], Result>(change: (...parameters: Parameters) => Result) {
  return (...parameters: Parameters): Result => {
    count += 1
    if (count === last) process.kill(process.pid, 'SIGKILL')
    return change(...parameters)
  }
}

Object.assign(promises, { rename: killedAtLast(promises.rename), rm: killedAtLast(promises.rm) })
syncBuiltinESMExports()
