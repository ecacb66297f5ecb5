import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { startSample } from '../sample.ts'
import { openPythonClients } from './environment.ts'
import { type Ended, startProgram } from './program.ts'

const python = await openPythonClients()
const options = { skip: python.missing, timeout: 800_000 }
const sample = await startSample()

function run(program: string, args: string[], input?: string): Promise<Ended> {
  const given = { cwd: sample.folder, ...(input !== undefined && { input }) }
  return startProgram(path.join(python.programs, program), args, given).end()
}

const newest = async (reader: string) => {
  const params = { anchor: 'newest', num_before: '1', num_after: '0', apply_markdown: 'false' }
  const { messages } = await sample.call(sample.account(reader), 'GET /messages', params)
  return messages[0]
}

test('zulip-send sends its argument to a channel, and standard input to users', options, async () => {
  const rc = await sample.zuliprc(sample.account('alice'))
  const toChannel = ['--config-file', rc, '--stream', 'kitchen', '--subject', 'lunch', '--message', 'from the *shell*']
  const toPeople = ['--config-file', rc, 'bob@example.com', 'carol@example.com']

  const channel = await run('zulip-send', toChannel)
  const inChannel = await newest('bob')
  const people = await run('zulip-send', toPeople, 'through a pipe\n')

  assert.deepEqual([channel.code, people.code], [0, 0], channel.stderr + people.stderr)
  assert.equal(inChannel.content, 'from the *shell*')
  assert.deepEqual([inChannel.display_recipient, inChannel.subject], ['kitchen', 'lunch'])
  const direct = await newest('carol')
  assert.equal(direct.content, 'through a pipe')
  assert.equal(direct.display_recipient.length, 3)
})

test('zulip-send prints the refusal of the server', options, async () => {
  const rc = await sample.zuliprc(sample.account('alice'))

  const { code, stderr } = await run('zulip-send', ['--config-file', rc, 'nobody@example.com', '-m', 'hello'])

  assert.equal(code, 1)
  assert.match(stderr, /Invalid email 'nobody@example.com'/)
})

test('zulip-api reads its configuration from home and changes a message', options, async () => {
  const alice = sample.account('alice')
  const rc = await sample.zuliprc(alice)
  const { id } = await sample.call(alice, 'POST /messages', {
    type: 'channel',
    to: 'pub',
    topic: 'cli',
    content: 'one',
  })
  await copyFile(rc, path.join(sample.folder, 'zuliprc'))

  const { code, stdout } = await run('zulip-api', ['update-message', String(id), '--message', 'two'])

  assert.equal(code, 0, stdout)
  assert.equal((await newest('bob')).content, 'two')
})

test('the calls of the module succeed, and its event loop gets the events', options, async () => {
  const script = path.join(import.meta.dirname, 'module_calls.py')
  const rcs = [await sample.zuliprc(sample.account('admin')), await sample.zuliprc(sample.account('bob'))]

  const { code, stdout, stderr } = await run('python', [script, ...rcs])

  assert.equal(code, 0, stderr)
  const { answers, received } = JSON.parse(stdout)
  const refused = Object.entries<[string, string]>(answers)
    .filter(([, [result]]) => result !== 'success')
    .map(([call, [, code]]) => [call, code])
  assert.deepEqual(Object.fromEntries(refused), {
    // The reference server has removed this route.
    remove_user_group: 'METHOD_NOT_ALLOWED',
  })
  assert.equal(Object.keys(answers).length, 68)
  assert.deepEqual(received, ['message', 'reaction', 'reaction', 'update_message', 'typing', 'delete_message'])
})
