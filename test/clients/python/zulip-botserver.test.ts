import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../free-port.ts'
import { type Account, type Answer, startSample } from '../sample.ts'
import { openPythonClients } from './environment.ts'
import { eventually, type Program, startProgram } from './program.ts'

const python = await openPythonClients()
const options = { skip: python.missing, timeout: 800_000 }
// A call that takes too long would be repeated.
const sample = await startSample({ OUTGOING_WEBHOOK_TIMEOUT_SECONDS: '60' })
const alice = sample.account('alice')

type Hook = Account & { token: string }

async function createHook(name: string, port: number): Promise<Hook> {
  const params = { full_name: name, short_name: name, bot_type: '3', payload_url: `http://127.0.0.1:${port}/` }
  const { user_id, api_key } = await sample.call(alice, 'POST /bots', params)
  const { bots } = await sample.call(alice, 'GET /bots')
  const bot = bots.find((one: Answer) => one['user_id'] === user_id)
  return { ...bot, user_id, email: bot.username, api_key, token: bot.services[0].token }
}

/** Starts a bot server with a section for each bot, and waits until it accepts requests. */
async function startBotserver(bots: Record<string, Hook>, port: number): Promise<Program> {
  const section = ([module, bot]: [string, Hook]) =>
    `[${module}]\nemail=${bot.email}\nkey=${bot.api_key}\nsite=${sample.url}\ntoken=${bot.token}\n`
  const file = path.join(sample.folder, `botserverrc-${port}`)
  await writeFile(file, Object.entries(bots).map(section).join('\n'))
  const args = ['--config-file', file, '--port', String(port)]
  const program = startProgram(path.join(python.programs, 'zulip-botserver'), args, { cwd: sample.folder })
  const listens = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => undefined,
    )
  await eventually(listens, () => `the server of the bots does not start: ${program.stdout} ${program.stderr}`)
  return program
}

const sendTo = (bot: Hook, content: string) =>
  sample.call(alice, 'POST /messages', { type: 'direct', to: JSON.stringify([bot.email]), content })

/** Waits for a message of this user that Alice can read and that matches. */
function receives(senderId: number, program: Program, isIt: (message: Answer) => boolean): Promise<Answer> {
  const narrow = JSON.stringify([{ operator: 'sender', operand: senderId }])
  const params = { anchor: 'newest', num_before: '10', num_after: '0', narrow, apply_markdown: 'false' }
  const ask = async () => (await sample.call(alice, 'GET /messages', params))['messages'].find(isIt)
  return eventually(ask, () => `it was not said: ${program.stdout} ${program.stderr}`)
}

test('the bot server receives mentions and direct messages, responds, stores data and edits', options, async () => {
  const port = await freePort()
  const [hello, counter] = [await createHook('greeter', port), await createHook('counter', port)]
  const program = await startBotserver({ helloworld: hello, incrementor: counter }, port)

  const content = '@**greeter** hello'
  await sample.call(alice, 'POST /messages', { type: 'channel', to: 'kitchen', topic: 'robots', content })
  const inChannel = await receives(hello.user_id, program, ({ type }) => type === 'stream')
  await sendTo(hello, 'hello')
  const direct = await receives(hello.user_id, program, ({ type }) => type === 'private')
  await sendTo(counter, 'count')
  const first = await receives(counter.user_id, program, (message) => message['content'] === '1')
  await sendTo(counter, 'count')
  const second = await receives(counter.user_id, program, (message) => message['content'] === '2')

  assert.deepEqual(
    [inChannel['display_recipient'], inChannel['subject'], inChannel['content']],
    ['kitchen', 'robots', 'beep boop'],
  )
  assert.equal(direct['content'], 'beep boop')
  assert.equal(second['id'], first['id'])
})

test('the bot server refuses messages without the token, and reports it to the owner of the bot', options, async () => {
  const port = await freePort()
  const bot = await createHook('careful', port)
  const program = await startBotserver({ helloworld: { ...bot, token: 'of another bot' } }, port)

  await sendTo(bot, 'hello')
  const notice = await receives(bot.user_id, program, ({ type }) => type === 'private')

  assert.match(notice['content'], /401/)
})
