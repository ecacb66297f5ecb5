import { createRequire } from 'node:module'

// Runs npm `zulip-js`, unmodified, against the server named on the command line, as two people; prints what came of each
// call as one line of JSON. A process of its own, because the client's event loop never ends.

type Answer = { result: string; msg?: string; [field: string]: unknown }
type Resource = Record<string, (params?: object) => Promise<Answer>>
type Client = Record<string, Resource> & {
  callOnEachEvent(listener: (event: { type: string; message?: { content: string } }) => void, types?: string[]): void
}

const connect = createRequire(import.meta.url)('zulip-js') as (config: object) => Promise<Client>
const [realm = '', aliceKey = '', bobEmail = '', password = '', pub = ''] = process.argv.slice(2)

const alice = await connect({ username: 'alice@example.com', apiKey: aliceKey, realm })
// With a password the client fetches a key of its own.
const bob = await connect({ username: bobEmail, password, realm })

const heard: string[] = []
const hears = new Promise<void>((resolve) => {
  bob.callOnEachEvent(
    (event) => {
      heard.push(`${event.type} ${event.message?.content ?? ''}`)
      if (event.message?.content === 'the last one') resolve()
    },
    ['message'],
  )
})
await new Promise((resolve) => setTimeout(resolve, 500))

const answers: Record<string, Answer | undefined> = {}
async function run(name: string, call: Promise<Answer> | undefined): Promise<Answer | undefined> {
  answers[name] = await call
  return answers[name]
}

await run('server.settings', alice['server']?.['settings']?.())
await run('users.me.getProfile', (alice['users']?.['me'] as unknown as Resource)?.['getProfile']?.())
await run('users.retrieve', alice['users']?.['retrieve']?.())
const sent = await run(
  'messages.send',
  alice['messages']?.['send']?.({ to: 'pub', type: 'stream', subject: 'from js', content: '**hello**' }),
)
const message_id = sent?.['id']
await run('messages.getById', alice['messages']?.['getById']?.({ message_id }))
await run(
  'messages.retrieve',
  alice['messages']?.['retrieve']?.({
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: 'channel', operand: 'pub' }],
  }),
)
await run('messages.update', alice['messages']?.['update']?.({ message_id, content: 'changed' }))
await run('messages.getHistoryById', alice['messages']?.['getHistoryById']?.({ message_id }))
await run('messages.render', alice['messages']?.['render']?.('*x*' as unknown as object))
await run(
  'messages.flags.add',
  (alice['messages']?.['flags'] as unknown as Resource)?.['add']?.({ messages: [message_id], flag: 'starred' }),
)
await run('reactions.add', alice['reactions']?.['add']?.({ message_id, emoji_name: 'heart' }))
await run(
  'messages.deleteReactionById',
  alice['messages']?.['deleteReactionById']?.({ message_id, emoji_name: 'heart' }),
)
await run('streams.retrieve', alice['streams']?.['retrieve']?.())
await run('streams.getStreamId', alice['streams']?.['getStreamId']?.('pub' as unknown as object))
await run(
  'streams.topics.retrieve',
  (alice['streams']?.['topics'] as unknown as Resource)?.['retrieve']?.({ stream_id: Number(pub) }),
)
await run(
  'streams.subscriptions.retrieve',
  (alice['streams']?.['subscriptions'] as unknown as Resource)?.['retrieve']?.(),
)
const mine = (alice['users']?.['me'] as unknown as { subscriptions: Resource })?.subscriptions
await run('users.me.subscriptions.add', mine?.['add']?.({ subscriptions: JSON.stringify([{ name: 'web' }]) }))
await run('users.me.subscriptions.remove', mine?.['remove']?.({ subscriptions: JSON.stringify(['web']) }))
await run('emojis.retrieve', alice['emojis']?.['retrieve']?.())
await run('typing.send', alice['typing']?.['send']?.({ op: 'start', to: [6] }))
const queue = await run('queues.register', alice['queues']?.['register']?.({ event_types: ['message'] }))
await run('queues.deregister', alice['queues']?.['deregister']?.({ queue_id: queue?.['queue_id'] }))
await run('messages.deleteById', alice['messages']?.['deleteById']?.({ message_id }))
await alice['messages']?.['send']?.({ to: 'pub', type: 'stream', subject: 'from js', content: 'the last one' })
await hears

process.stdout.write(`${JSON.stringify({ answers, heard })}\n`)
process.exit(0)
