import type { Person } from './harness.ts'

/** The settings of a user whose topics all have the visibility of their channels. */
export const followsNothing = {
  automatically_follow_topics_policy: 4,
  automatically_unmute_topics_in_muted_streams_policy: 4,
  automatically_follow_topics_where_mentioned: false,
} as const

/** Sends a message to a topic of a channel and returns its id. */
export async function sendToChannel(
  sender: Person,
  channel: { name: string },
  content = 'hello',
  topic = 'tea',
): Promise<number> {
  const { id } = await sender.succeed('POST /messages', { type: 'channel', to: [channel.name], topic, content })
  return id
}

/** Sends a direct message and returns its id. */
export async function sendDirect(sender: Person, people: readonly Person[], content = 'hello'): Promise<number> {
  const to = people.map((person) => person.id)
  const { id } = await sender.succeed('POST /messages', { type: 'direct', to, content })
  return id
}

/** Marks the person's own messages as read; those that a test sends through the API are unread at first. */
export async function readOwn(person: Person): Promise<void> {
  const range = { anchor: 'newest', num_before: 1000, num_after: 0, op: 'add', flag: 'read' }
  await person.succeed('POST /messages/flags/narrow', {
    ...range,
    narrow: [{ operator: 'sender', operand: person.id }],
  })
}

/** Returns the message as the person fetches it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
export async function fetchMessage(person: Person, id: number, params: Record<string, unknown> = {}): Promise<any> {
  return (await person.succeed(`GET /messages/${id}`, params)).message
}

/** Subscribes the people to the channel, on behalf of one of its subscribers. */
export async function addToChannel(host: Person, channel: { name: string }, people: readonly Person[]): Promise<void> {
  const principals = people.map((person) => person.id)
  await host.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }], principals })
}

/** Unsubscribes the person from the channel. */
export async function leaveChannel(person: Person, channel: { name: string }): Promise<void> {
  await person.succeed('DELETE /users/me/subscriptions', { subscriptions: [channel.name] })
}

/** The response for unreadable and missing messages. */
export const invalidMessage = { status: 400, result: 'error', msg: 'Invalid message(s)', code: 'BAD_REQUEST' }
