import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startTestServer } from '../../server/testing/test-server.ts'

const server = await startTestServer({ port: 0, database: 'memory' })
after(() => server.close())

test('the JavaScript library runs unmodified: its calls succeed, and its event loop hears what happens', async () => {
  const made = await fetch(`${server.url}/testing/organizations`, { method: 'POST', body: '{"subdomain":""}' })
  const { users, channels } = (await made.json()) as {
    users: Record<string, { api_key: string; email: string; password: string }>
    channels: Record<string, { stream_id: number }>
  }
  const session = new URL('zulip-js-session.ts', import.meta.url).pathname
  const { alice, bob } = users
  const people = [alice?.api_key ?? '', bob?.email ?? '', bob?.password ?? '', String(channels['pub']?.stream_id)]

  const { stdout } = await promisify(execFile)(process.execPath, [session, server.url, ...people], { timeout: 60_000 })

  const { answers, heard } = JSON.parse(stdout) as {
    answers: Record<string, { result: string; msg?: string }>
    heard: string[]
  }
  for (const [call, answer] of Object.entries(answers))
    assert.equal(answer?.result, 'success', `${call}: ${answer?.msg}`)
  assert.equal(Object.keys(answers).length, 23)
  assert.deepEqual(heard, ['message **hello**', 'message the last one'])
})
