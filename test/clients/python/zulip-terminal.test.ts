import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { startSample } from '../sample.ts'
import { openPythonClients } from './environment.ts'
import { eventually } from './program.ts'
import { openTerminal, terminalMissing } from './terminal.ts'

const python = await openPythonClients()
const skip = python.missing || (await terminalMissing())
const sample = await startSample()
const [alice, bob] = [sample.account('alice'), sample.account('bob')]

/** The line above the compose box. */
const composeBox = /│# pub +▶/

type Reaction = { emoji_name: string; user_id: number }

/** Returns the newest message of a topic in the channel pub, as Bob sees it. */
async function newestIn(topic: string) {
  const narrow = JSON.stringify([
    ['channel', 'pub'],
    ['topic', topic],
  ])
  const params = { anchor: 'newest', num_before: '1', num_after: '0', narrow, apply_markdown: 'false' }
  return (await sample.call(bob, 'GET /messages', params))['messages'][0]
}

const LOOKS_BETWEEN_KEYS = 30

test('zulip-terminal shows, sends, receives and edits messages, and reacts to them', {
  skip,
  timeout: 800_000,
}, async () => {
  await sample.call(alice, 'POST /mark_all_as_read')
  await sample.call(bob, 'POST /users/me/presence', { status: 'active', ping_only: 'true' })
  const program = path.join(python.programs, 'zulip-term')
  const rc = await sample.zuliprc(alice)
  const terminal = await openTerminal(sample.folder, `${program} --config-file ${rc} --no-notify`)

  // The latest messages of the sample, its channels, and presence.
  await terminal.until('Alice Bergmann (alice@example.com)', 'Carol Nakamura', 'My lips are sealed.', '# engineering')
  await terminal.until(/● Alice Bergma.*\(you\)/, '● Bob Okafor')

  // Sending a message.
  await terminal.press('c')
  await terminal.until('✗')
  await terminal.type('pub')
  await terminal.press('Tab')
  await terminal.type('from the terminal')
  await terminal.press('Tab')
  await terminal.type('typed *by hand*')
  await terminal.until('▶ from the terminal', 'typed *by hand*')
  await terminal.press('C-d')
  const sent = await eventually(
    () => newestIn('from the terminal'),
    () => 'nothing was sent',
  )
  assert.equal(sent.content, 'typed *by hand*')
  await terminal.until('▒ typed by hand')
  await terminal.escape(composeBox)

  // Editing it.
  await terminal.press('Down', 'Down', 'e')
  await terminal.until(/│typed \*by hand\*/)
  await terminal.type(' and changed')
  await terminal.until('typed *by hand* and changed')
  await terminal.press('C-d')
  const history = await eventually(
    async () => {
      const { message_history: steps } = await sample.call(bob, `GET /messages/${sent.id}/history`)
      return steps.length > 1 ? steps : undefined
    },
    () => 'nothing was edited',
  )
  await terminal.until('EDITED', '▒ typed by hand and changed')
  await terminal.untilGone(composeBox)
  assert.deepEqual(
    history.map((step: { content: string }) => step.content),
    ['typed *by hand*', 'typed *by hand* and changed'],
  )

  // A message from another user, and a reaction to it.
  const answer = { type: 'channel', to: 'pub', topic: 'from the terminal', content: 'delivered **at once**' }
  const { id } = await sample.call(bob, 'POST /messages', answer)
  await terminal.downTo('▒ delivered at once')
  let looks = 0
  const reactions = await eventually(
    async () => {
      // The key applies to the focused message, which may be another one for a moment.
      if (looks++ % LOOKS_BETWEEN_KEYS === 0) await terminal.press('Down', 'Down', '+')
      const { message } = await sample.call(bob, `GET /messages/${id}`)
      return message.reactions.length > 0 ? (message.reactions as Reaction[]) : undefined
    },
    () => 'nobody reacted',
  )
  assert.deepEqual(
    reactions.map(({ emoji_name, user_id }) => [emoji_name, user_id]),
    [['thumbs_up', alice.user_id]],
  )

  // Presence, and the end of the program.
  await terminal.press('C-c')
  await terminal.ended()
})
