import type { Channel } from '#channels/channel.ts'
import { Role } from '#rules/role.ts'
import { fc } from '../fast-check.ts'
import { upload } from '../files.ts'
import { type Chat, type Person, startChat } from '../harness.ts'

/** People, channels of every kind and their messages, for tests that compare message lists with rules. */
export type World = {
  chat: Chat
  /** An owner, two members, a guest and a new member without channels. */
  people: readonly Person[]
  /**
   * A public channel, a web-public one, private ones with shared and with protected history, and another public one.
   */
  channels: readonly Channel[]
  /** The path of each person's uploaded file, in the order of `people`. */
  menus: readonly string[]
}

export const TOPICS = ['tea', 'Lunch plans', '✔ tea', 'naïve', ''] as const

/** MENU is replaced by the path of the sender's file. */
const TEXTS = [
  'lunch today?',
  'Lunches *tomorrow*, or <b> & co',
  'see https://example.com/cat.png',
  'le café [menu](MENU)',
  '@**all** tea time',
  '@**Ben** please',
] as const

export async function startWorld(): Promise<World> {
  const chat = await startChat()
  const [ada, ben, cleo] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ben'),
    await chat.user('cleo'),
  ]
  const gus = await chat.user('gus', { role: Role.guest })
  const dan = await chat.user('dan')
  const channels = [
    await chat.channel('open', [ada, ben, gus]),
    await chat.channel('web', [ben], { isWebPublic: true }),
    await chat.channel('shared', [ada, ben, gus], { isPrivate: true }),
    await chat.channel('guarded', [ben, cleo, gus], { isPrivate: true, isHistoryShared: false }),
    await chat.channel('other', [cleo]),
  ]
  const people = [ada, ben, cleo, gus, dan]
  const menus: string[] = []
  for (const person of people) menus.push(await upload(chat, person, { name: 'menu.pdf', bytes: 'tea' }))
  return { chat, people, channels, menus }
}

type Action = {
  kind: string
  actor: number
  other: number
  channel: number
  topic: number
  text: number
  message: number
}

/** An action that a person tries. The server may refuse it. */
export const actions: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(
    ...[
      'send',
      'send',
      'send',
      'send',
      'sendDirect',
      'sendDirect',
      'sendGroup',
      'join',
      'add',
      'leave',
      'leave',
      'star',
      'read',
    ],
    ...['unread', 'react', 'edit', 'move', 'moveAll', 'delete', 'archive', 'mute', 'policy', 'privacy'],
  ),
  actor: fc.nat(4),
  other: fc.nat(4),
  channel: fc.nat(4),
  topic: fc.nat(TOPICS.length - 1),
  text: fc.nat(TEXTS.length - 1),
  message: fc.nat(40),
})

export async function runAction({ chat, people, channels, menus }: World, action: Action): Promise<void> {
  const { db, transaction } = chat.app.services
  const [actor, other] = [people[action.actor] as Person, people[action.other] as Person]
  const channel = channels[action.channel] as Channel
  const topic = TOPICS[action.topic] as string
  const content = (TEXTS[action.text] as string).replace('MENU', menus[action.actor] as string)
  const messages = await db.selectFrom('messages').select('id').orderBy('id').execute()
  const id = messages[action.message % Math.max(1, messages.length)]?.id ?? 0
  const flag = (op: string, name: string) => actor.call('POST /messages/flags', { messages: [id], op, flag: name })
  const handlers: Record<string, () => Promise<unknown>> = {
    send: () => actor.call('POST /messages', { type: 'channel', to: [channel.name], topic, content }),
    sendDirect: () => actor.call('POST /messages', { type: 'direct', to: [other.id], content }),
    sendGroup: () => actor.call('POST /messages', { type: 'direct', to: [other.id, people[2]?.id], content }),
    join: () => actor.call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }] }),
    add: () =>
      actor.call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }], principals: [other.id] }),
    leave: () => actor.call('DELETE /users/me/subscriptions', { subscriptions: [channel.name] }),
    star: () => flag('add', 'starred'),
    read: () => flag('add', 'read'),
    unread: () => flag('remove', 'read'),
    react: () => actor.call(`POST /messages/${id}/reactions`, { emoji_name: 'tada' }),
    edit: () => actor.call(`PATCH /messages/${id}`, { content }),
    move: () => actor.call(`PATCH /messages/${id}`, { topic, stream_id: channel.id }),
    moveAll: () => actor.call(`PATCH /messages/${id}`, { topic, propagate_mode: 'change_all' }),
    delete: () => actor.call(`DELETE /messages/${id}`),
    archive: () => actor.call(`DELETE /streams/${channels[4]?.id}`),
    mute: () =>
      actor.call('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: channel.id, property: 'is_muted', value: true }],
      }),
    policy: () => {
      const topicKeys = { userId: actor.id, channelId: channel.id, topic, topicKey: topic.toLowerCase() }
      const row = { ...topicKeys, visibilityPolicy: 1 + (action.text % 3), setAt: 0 }
      return transaction((tx) =>
        tx
          .insertInto('userTopics')
          .values(row)
          .onConflict((on) => on.doNothing())
          .execute(),
      )
    },
    privacy: () =>
      actor.call(`PATCH /streams/${channel.id}`, {
        is_private: action.text % 2 === 0,
        history_public_to_subscribers: action.text % 3 > 0,
      }),
  }
  await handlers[action.kind]?.()
}
