import fc from 'fast-check'
import type { Channel } from '../../server/channels/channel.ts'
import { Role } from '../../server/people/users/role.ts'
import { upload } from '../files.ts'
import { type Chat, type Person, startChat } from '../harness.ts'

/** People, channels of every kind and what was said, for tests that compare lists with rules. */
export type World = {
  chat: Chat
  /** An owner, two members, a guest and a newcomer who is in no channel. */
  people: readonly Person[]
  /** Public, web-public, private with shared and with protected history, and one more that is public. */
  channels: readonly Channel[]
  /** Where the file of each of the people is, in their order. */
  menus: readonly string[]
}

export const TOPICS = ['tea', 'Lunch plans', '✔ tea', 'naïve', ''] as const

/** MENU stands for a file of whoever writes. */
export const TEXTS = [
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

type Deed = { kind: string; who: number; other: number; channel: number; topic: number; text: number; message: number }

/** Something that somebody tries to do; what they may not do is refused, and that is all right. */
export const deeds: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(
    ...['say', 'say', 'say', 'say', 'tell', 'tell', 'tellBoth', 'join', 'bring', 'leave', 'leave', 'star', 'read'],
    ...['unread', 'react', 'edit', 'move', 'moveAll', 'delete', 'archive', 'mute', 'policy', 'privacy'],
  ),
  who: fc.nat(4),
  other: fc.nat(4),
  channel: fc.nat(4),
  topic: fc.nat(TOPICS.length - 1),
  text: fc.nat(TEXTS.length - 1),
  message: fc.nat(40),
})

export async function act({ chat, people, channels, menus }: World, deed: Deed): Promise<void> {
  const { db, transaction } = chat.app.services
  const [who, other] = [people[deed.who] as Person, people[deed.other] as Person]
  const channel = channels[deed.channel] as Channel
  const topic = TOPICS[deed.topic] as string
  const content = (TEXTS[deed.text] as string).replace('MENU', menus[deed.who] as string)
  const messages = await db.selectFrom('messages').select('id').orderBy('id').execute()
  const id = messages[deed.message % Math.max(1, messages.length)]?.id ?? 0
  const flag = (op: string, name: string) => who.call('POST /messages/flags', { messages: [id], op, flag: name })
  const kinds: Record<string, () => Promise<unknown>> = {
    say: () => who.call('POST /messages', { type: 'channel', to: [channel.name], topic, content }),
    tell: () => who.call('POST /messages', { type: 'direct', to: [other.id], content }),
    tellBoth: () => who.call('POST /messages', { type: 'direct', to: [other.id, people[2]?.id], content }),
    join: () => who.call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }] }),
    bring: () =>
      who.call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }], principals: [other.id] }),
    leave: () => who.call('DELETE /users/me/subscriptions', { subscriptions: [channel.name] }),
    star: () => flag('add', 'starred'),
    read: () => flag('add', 'read'),
    unread: () => flag('remove', 'read'),
    react: () => who.call(`POST /messages/${id}/reactions`, { emoji_name: 'tada' }),
    edit: () => who.call(`PATCH /messages/${id}`, { content }),
    move: () => who.call(`PATCH /messages/${id}`, { topic, stream_id: channel.id }),
    moveAll: () => who.call(`PATCH /messages/${id}`, { topic, propagate_mode: 'change_all' }),
    delete: () => who.call(`DELETE /messages/${id}`),
    archive: () => who.call(`DELETE /streams/${channels[4]?.id}`),
    mute: () =>
      who.call('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: channel.id, property: 'is_muted', value: true }],
      }),
    policy: () => {
      const place = { userId: who.id, channelId: channel.id, topic, topicKey: topic.toLowerCase() }
      const row = { ...place, visibilityPolicy: 1 + (deed.text % 3), setAt: 0 }
      return transaction((tx) =>
        tx
          .insertInto('userTopics')
          .values(row)
          .onConflict((on) => on.doNothing())
          .execute(),
      )
    },
    privacy: () =>
      who.call(`PATCH /streams/${channel.id}`, {
        is_private: deed.text % 2 === 0,
        history_public_to_subscribers: deed.text % 3 > 0,
      }),
  }
  await kinds[deed.kind]?.()
}
