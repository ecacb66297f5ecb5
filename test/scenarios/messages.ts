import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

/** Sends to a channel by its name, and returns the message's id. */
export async function sendToChannel(
  person: Person,
  channel: string,
  content = 'hello',
  topic = 'greetings',
): Promise<number> {
  return (await person.succeed('POST /messages', { type: 'channel', to: channel, topic, content })).id
}

/** Sends a direct message, and returns its id. */
export async function sendDirect(person: Person, to: readonly Person[], content = 'hello'): Promise<number> {
  return (await person.succeed('POST /messages', { type: 'direct', to: to.map(({ id }) => id), content })).id
}

/** Returns the message as this user sees it. */
export async function readMessage(person: Person, id: number, params: object = {}): Promise<Answer['body']> {
  return (await person.succeed(`GET /messages/${id}`, { ...params })).message
}

/** Returns whether this user may read the message. Any other error fails the test. */
export async function mayRead(person: Person, id: number): Promise<boolean> {
  const { status, text } = await person.call(`GET /messages/${id}`)
  if (status === 200) return true
  if (text === '{"result":"error","msg":"Invalid message(s)","code":"BAD_REQUEST"}\n') return false
  throw new Error(`GET /messages/${id}: ${status} ${text}`)
}

/** Joins a channel, or subscribes others. */
export async function join(person: Person, channel: string, others?: readonly Person[]): Promise<void> {
  await person.succeed('POST /users/me/subscriptions', {
    subscriptions: [{ name: channel }],
    principals: others?.map(({ id }) => id),
  })
}

export async function leave(person: Person, channel: string): Promise<void> {
  await person.succeed('DELETE /users/me/subscriptions', { subscriptions: [channel] })
}
