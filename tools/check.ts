import { spawn } from 'node:child_process'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

/**
 * Checks types, lint, unused code, imports, interface strings, styles and wording side by side and prints the output of
 * each in turn; resolves to whether all passed. `fix` formats and applies safe fixes first.
 */
export async function runChecks(fix: boolean): Promise<boolean> {
  // Each check runs in one thread: more threads repeat the work on the same declarations, and take twice the CPU time.
  const typeCheck = ['node_modules/typescript/bin/tsc', '--singleThreaded']
  const lint = ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings']
  if (fix) await runCommand([...lint, '--write'])
  const commands = [
    typeCheck,
    [...typeCheck, '--project', 'web'],
    lint,
    ['node_modules/knip/bin/knip.js', '--cache'],
    ['tools/check-imports.ts'],
    ['tools/check-messages.ts'],
    ['tools/check-styles.ts'],
    ['tools/check-wording.ts'],
  ]
  let passed = true
  for (const running of commands.map(runCommand)) {
    const { status, output } = await running
    process.stdout.write(output)
    if (status !== 0) passed = false
  }
  return passed
}

function runCommand(command: readonly string[]): Promise<{ status: number | null; output: Buffer }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => void output.push(bytes))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output: Buffer.concat(output) }))
  })
}

if (import.meta.main) process.exitCode = (await runChecks(process.argv.includes('--write'))) ? 0 : 1
