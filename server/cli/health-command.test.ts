import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { programVersion } from '#lib/process.ts'
import { startTestServer } from '#testing/test-server.ts'
import { freePort } from '../../test/free-port.ts'
import { runCommand } from '../../test/processes/command.ts'

test('the state of the server on this machine is printed, wherever it listens', async () => {
  const server = await startTestServer({ port: 0, database: 'memory' })

  const own = await runCommand(['health'], { PORT: String(server.port), LISTEN_HOST: '0.0.0.0' })
  const named = await runCommand(['health', server.url, '--json'], {})
  await server.close()

  assert.deepEqual([own.code, own.complaint], [0, ''])
  assert.match(own.output, new RegExp(`^ok\nParley ${programVersion}`))
  assert.deepEqual(JSON.parse(named.output), { ready: true, status: 200, text: own.output })
})

test('a server that is not ready, and one that does not answer, are failures', async (context) => {
  const server = createServer((_request, response) => response.writeHead(503).end('The database is not ready\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo

  const unready = await runCommand(['health', `http://127.0.0.1:${port}/`], {})
  const absent = await runCommand(['health'], { PORT: String(await freePort()), LISTEN_HOST: '127.0.0.1' })

  assert.deepEqual([unready.code, unready.output], [1, 'The database is not ready\n'])
  assert.match(unready.complaint, /The server is not ready \(.*\/health responds 503\)/)
  assert.deepEqual([absent.code, absent.output], [1, ''])
  assert.match(absent.complaint, /does not answer: connect ECONNREFUSED 127\.0\.0\.1/)
})

test('a text that is not the address of a server is refused', async () => {
  const typo = await runCommand(['health', 'chat.example.com'], {})
  const chosen = await runCommand(['health'], { PORT: '0' })

  assert.deepEqual([typo.code, chosen.code], [1, 1])
  assert.match(typo.complaint, /chat\.example\.com\/health is not the address/)
  assert.match(chosen.complaint, /add its address/)
})
