import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { builtServer } from '../../test/processes/built-server.ts'

const program = await builtServer('server/cli.ts')

const run = (...args: string[]) => spawn(process.execPath, [program, 'test-server', ...args])

test('one line of JSON says that it is ready, and SIGTERM ends it well', async () => {
  const server = run('--port', '0')
  const output = text(server.stdout)
  const [first] = await once(server.stdout, 'data')
  const ready = JSON.parse(String(first))

  server.kill('SIGTERM')

  assert.deepEqual(await once(server, 'exit'), [0, null])
  assert.deepEqual(ready, { url: `http://127.0.0.1:${ready.port}`, port: ready.port, pid: server.pid })
  assert.deepEqual((await output).split('\n').length, 2)
})

test('a port that is taken is told in a sentence', async () => {
  const first = run('--port', '0')
  const { port } = JSON.parse(String((await once(first.stdout, 'data'))[0]))

  const second = run('--port', String(port))

  const complaint = text(second.stderr)
  assert.deepEqual(await once(second, 'exit'), [1, null])
  assert.match(await complaint, /^Something listens on port \d+ already\. [^\n]*\n$/)
  first.kill('SIGTERM')
  await once(first, 'exit')
})
