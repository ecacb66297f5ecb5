import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtServer } from './built-server.ts'

/** A disposable server in a separate process. */
type ServerProcess = { readonly url: string; readonly port: number; stop(): Promise<void> }

/** Starts a disposable server on a free port; the caller must stop it. */
export async function startServerProcess(
  database: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const command = [await builtServer('server/cli.ts'), 'test-server', '--port', '0', '--database', database]
  const env = { ...process.env, ...settings }
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const exit = once(child, 'exit')
  const { url, port } = JSON.parse(await Promise.race([firstLine(child.stdout), exit.then(() => '{}')]))
  assert.equal(typeof port, 'number', 'the server reports that it is ready')
  return {
    url,
    port,
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    if (text.includes('\n')) break
  }
  return text
}
