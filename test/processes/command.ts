import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { builtServer } from './built-server.ts'

/** A line of progress, which commands print only when they take long. */
const PROGRESS = /^[A-Za-z][\w ]*: (\d+ %, )?[\d,]+( of [\d,]+)?\n/gm

/**
 * Runs a command like an operator, with text on its standard input; returns its exit code, its output, and what it
 * prints beside it.
 */
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
  return { code, output, complaint: complaint.replaceAll(PROGRESS, '') }
}

/** Returns a function that runs commands on the database of the folder, and parses what they print with `--json`. */
export function commandsIn(folder: string, settings: Record<string, string> = {}) {
  const all = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, EXTERNAL_URL: 'http://parley.test', ...settings }
  return {
    run: (...words: string[]) => runCommand(words, all),
    /** Runs a command that has to succeed. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
    async json(...words: string[]): Promise<any> {
      const { code, output, complaint } = await runCommand([...words, '--json'], all)
      if (code !== 0) throw new Error(`parley ${words.join(' ')}: ${complaint}`)
      return JSON.parse(output)
    },
  }
}
