import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { type Account, type Answer, startSample } from '../sample.ts'
import { openPythonClients } from './environment.ts'
import { eventually, type Program, startProgram } from './program.ts'

const python = await openPythonClients()
const options = { skip: python.missing, timeout: 800_000 }
const sample = await startSample()
const alice = sample.account('alice')

async function createBot(name: string): Promise<Account> {
  const params = { full_name: `${name} bot`, short_name: name }
  const { user_id, api_key } = await sample.call(alice, 'POST /bots', params)
  const { user } = await sample.call(alice, `GET /users/${user_id}`)
  return { ...user, api_key }
}

async function startBot(source: string, bot: Account): Promise<Program> {
  const args = [source, '--config-file', await sample.zuliprc(bot)]
  return startProgram(path.join(python.programs, 'zulip-run-bot'), args, { cwd: sample.folder })
}

const send = (content: string, to: string) =>
  sample.call(alice, 'POST /messages', { type: 'direct', to: JSON.stringify([to]), content })

/** Returns the messages of the bot to Alice, oldest first. */
async function repliesOf(bot: Account): Promise<Answer[]> {
  const narrow = JSON.stringify([{ operator: 'sender', operand: bot.user_id }])
  const params = { anchor: 'newest', num_before: '50', num_after: '0', narrow, apply_markdown: 'false' }
  return (await sample.call(alice, 'GET /messages', params))['messages']
}

/** Waits until the bot has registered: it does not get earlier messages. */
async function untilAwake(bot: Account, program: Program): Promise<void> {
  const awake = async () => {
    await send('are you there?', bot.email)
    return (await repliesOf(bot)).length > 0 || undefined
  }
  await eventually(awake, () => `the bot does not answer: ${program.stdout} ${program.stderr}`)
}

test('a bot of the library greets users in channels and direct messages, and reacts', options, async () => {
  const bot = await createBot('hello')
  const program = await startBot('helloworld', bot)
  await untilAwake(bot, program)
  const before = (await repliesOf(bot)).length

  const content = `@**${bot.full_name}** hello`
  const mention = await sample.call(alice, 'POST /messages', {
    type: 'channel',
    to: 'kitchen',
    topic: 'robots',
    content,
  })
  const isInChannel = async () => (await repliesOf(bot)).find((reply) => reply['type'] === 'stream')
  const reply = await eventually(isInChannel, () => `no answer: ${program.stdout} ${program.stderr}`)

  assert.equal(reply['content'], 'beep boop')
  assert.deepEqual([reply['display_recipient'], reply['subject']], ['kitchen', 'robots'])
  assert.ok(before >= 1)
  await eventually(
    async () => {
      const { message } = await sample.call(alice, `GET /messages/${mention['id']}`)
      return message.reactions.some((reaction: Answer) => reaction['emoji_name'] === 'wave') || undefined
    },
    () => `no reaction: ${program.stderr}`,
  )
})

test('a bot with storage on the server continues after a restart', options, async () => {
  const bot = await createBot('tally')
  const source = path.join(import.meta.dirname, 'tally.py')
  const first = await startBot(source, bot)
  await untilAwake(bot, first)
  await first.interrupt()
  const countOf = async () => Number((await sample.call(bot, 'GET /bot_storage'))['storage'].count)
  const count = await countOf()

  const second = await startBot(source, bot)
  const reply = await eventually(
    async () => {
      await send('again', bot.email)
      return (await repliesOf(bot)).find(({ content }) => content.startsWith('again'))
    },
    () => `the bot does not answer: ${second.stderr}`,
  )

  // The first process may have been interrupted before it replied to all messages.
  const number = Number(/^again \((\d+)\)$/.exec(reply['content'])?.[1])
  assert.ok(count > 0 && number > count, `${number} after ${count}`)
  assert.ok((await countOf()) >= number)
})
