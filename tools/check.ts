import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

/** Types, lint and layers, each with its own output; whether all are in order. `mend` formats and applies safe fixes. */
export function runChecks(mend: boolean): boolean {
  const commands = [
    ['node_modules/typescript/bin/tsc'],
    ['node_modules/typescript/bin/tsc', '--project', 'web'],
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...(mend ? ['--write'] : [])],
    ['tools/check-imports.ts'],
  ]
  const ends = commands.map((command) => spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }))
  return ends.every((end) => end.status === 0)
}

if (import.meta.main) process.exitCode = runChecks(process.argv.includes('--write')) ? 0 : 1
