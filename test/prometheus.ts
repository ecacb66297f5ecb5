import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

// The tool of Prometheus that checks metrics and rules.

const PROMETHEUS = '/usr/bin/prometheus'
const PROMTOOL = '/usr/bin/promtool'

/** The reason to skip the tests with Prometheus; false if they can run. */
export const prometheusAbsent =
  ![PROMETHEUS, PROMTOOL].every((path) => existsSync(path)) &&
  `${PROMETHEUS} or ${PROMTOOL} is absent: install the package prometheus`

/** Runs promtool; resolves with its exit code and all of its output. */
export function promtool(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(PROMTOOL, args, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    )
    child.stdin?.end(input)
  })
}
