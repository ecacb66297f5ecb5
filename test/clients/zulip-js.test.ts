import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startSample } from './sample.ts'

const sample = await startSample()

test('all calls of the JavaScript library succeed, and its event loop gets the events', async () => {
  const [alice, bob] = [sample.account('alice'), sample.account('bob')]
  const session = new URL('./zulip-js-session.ts', import.meta.url).pathname
  const rcs = [await sample.zuliprc(sample.account('admin')), await sample.zuliprc(alice)]
  const people = [...rcs, sample.url, bob.email, bob.password]

  const { stdout } = await promisify(execFile)(process.execPath, [session, ...people], { timeout: 800_000 })

  const { answers, received } = JSON.parse(stdout) as {
    answers: Record<string, { result: string; msg?: string; code?: string }>
    received: string[]
  }
  const refused = Object.entries(answers).filter(([, answer]) => answer.result !== 'success')
  assert.deepEqual(Object.fromEntries(refused.map(([call, answer]) => [call, answer.msg])), {
    // The reference server has removed these.
    'filters.retrieve': 'Method Not Allowed',
    'users.me.pointer.retrieve': 'Not Found',
    'users.me.pointer.update': 'Not Found',
  })
  assert.equal(Object.keys(answers).length, 34)
  const reactions = ['reaction add', 'reaction remove']
  assert.deepEqual(received.slice(0, 5), ['message **hello**', ...reactions, ...reactions])
})
