import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

// Runs the unmodified npm package `zulip-js` as three users, with the zuliprc files named on the command line, and
// prints all results in one line of JSON. It is a separate process because the event loop of the client never ends.

type Answer = { result: string; msg?: string; code?: string; [field: string]: unknown }
type Call = (params?: unknown) => Promise<Answer>
type Client = {
  [resource: string]: { [call: string]: Call & { [call: string]: Call & { [call: string]: Call } } }
} & {
  callEndpoint(endpoint: string, method: string, params?: object): Promise<Answer>
  callOnEachEvent(listener: (event: Heard) => void, types?: string[]): void
}
type Heard = { type: string; op?: string; message?: { content: string } }

const connect = createRequire(import.meta.url)('zulip-js') as (config: object) => Promise<Client>
const [adminRc = '', aliceRc = '', realm = '', bobEmail = '', password = ''] = process.argv.slice(2)

const admin = await connect({ zuliprc: adminRc })
const alice = await connect({ zuliprc: aliceRc })
// With a password the client fetches its API key.
const bob = await connect({ username: bobEmail, password, realm })

const sendToPub = (content: string) =>
  alice['messages']?.['send']?.({ to: 'pub', type: 'stream', subject: 'from js', content })

const received: string[] = []
const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
bob.callOnEachEvent(
  (event) => {
    const content = event.message?.content
    if (content === 'are you there?') first.resolve()
    else if (content === 'the last one') last.resolve()
    else received.push(`${event.type} ${content ?? event.op}`)
  },
  ['message', 'reaction'],
)
// Bob gets no messages that were sent before his queue was registered.
do await sendToPub('are you there?')
while (!(await Promise.race([first.promise.then(() => true), sleep(500, false)])))

const answers: Record<string, Answer> = {}
async function run(client: Client, name: string, params?: unknown): Promise<Answer> {
  const [resource = '', ...path] = name.split('.')
  let call: unknown = client[resource]
  for (const part of path) call = (call as Record<string, unknown>)[part]
  const answer = await (call as Call)(params)
  answers[name] = answer
  return answer
}

const { id: message_id } = await run(alice, 'messages.send', {
  to: 'pub',
  type: 'stream',
  subject: 'from js',
  content: '**hello**',
})
await run(alice, 'messages.getById', { message_id })
const narrow = [{ operator: 'channel', operand: 'pub' }]
await run(alice, 'messages.retrieve', { anchor: 'newest', num_before: 10, num_after: 0, narrow })
await run(alice, 'messages.update', { message_id, content: 'changed' })
await run(alice, 'messages.getHistoryById', { message_id })
await run(alice, 'messages.render', '*x*')
await run(alice, 'messages.flags.add', { messages: [message_id], flag: 'starred' })
await run(alice, 'messages.flags.remove', { messages: [message_id], flag: 'starred' })
await run(alice, 'reactions.add', { message_id, emoji_name: 'heart' })
await run(alice, 'reactions.remove', { message_id, emoji_name: 'heart' })
await alice['reactions']?.['add']?.({ message_id, emoji_name: 'tada' })
await run(alice, 'messages.deleteReactionById', { message_id, emoji_name: 'tada' })
await run(alice, 'typing.send', { op: 'start', to: [(await bob['users']?.['me']?.['getProfile']?.())?.['user_id']] })

await run(admin, 'users.me.subscriptions.add', { subscriptions: JSON.stringify([{ name: 'js' }]) })
const { stream_id } = await run(admin, 'streams.getStreamId', 'js')
await run(alice, 'streams.retrieve')
await run(alice, 'streams.subscriptions.retrieve')
await run(alice, 'streams.topics.retrieve', { stream_id })
await run(admin, 'users.me.subscriptions.remove', { subscriptions: JSON.stringify(['js']) })
await run(admin, 'streams.deleteById', { stream_id })

await run(alice, 'users.retrieve')
await run(admin, 'users.create', { email: 'jo@example.com', password: 'a long garden path', full_name: 'Jo Lund' })
await run(alice, 'users.me.getProfile')
await run(alice, 'users.me.alertWords.retrieve')
await run(alice, 'users.me.pointer.retrieve')
await run(alice, 'users.me.pointer.update', 1)
await run(alice, 'emojis.retrieve')
await run(alice, 'filters.retrieve')
await run(alice, 'server.settings')
await run(bob, 'accounts.retrieve')

const { queue_id, last_event_id } = await run(alice, 'queues.register', { event_types: ['message'] })
await run(alice, 'events.retrieve', { queue_id, last_event_id, dont_block: true })
await run(alice, 'queues.deregister', { queue_id })
await run(alice, 'messages.deleteById', { message_id })
answers['callEndpoint'] = await alice.callEndpoint('/users/me/presence', 'POST', { status: 'active' })

await sendToPub('the last one')
await last.promise

process.stdout.write(`${JSON.stringify({ answers, received })}\n`)
process.exit(0)
