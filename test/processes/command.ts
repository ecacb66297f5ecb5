import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { builtServer } from './built-server.ts'

/** Runs a command like an operator, with text on its standard input; returns its exit code and output. */
export async function runCommand(
  words: readonly string[],
  settings: Record<string, string>,
  input = '',
): Promise<{ code: number; output: string; complaint: string }> {
  const script = await builtServer('server/cli.ts')
  const child = spawn(process.execPath, [script, ...words], { env: { ...process.env, ...settings } })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  const [code, output, complaint] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { code, output, complaint }
}
