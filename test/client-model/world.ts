import assert from 'node:assert/strict'
import { Role } from '#rules/role.ts'
import { submitPassword } from '../browser.ts'
import { credentials } from '../files.ts'
import { type Chat, type Person, START, startChat } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'

/** An organization with data for every action. */
export type World = {
  chat: Chat
  /** An owner, an administrator, three members, two guests and a bot of the first member. */
  people: readonly Person[]
}

/** Picks the objects of an action by the numbers of the scenario. */
export type Pick = {
  <Thing>(things: readonly Thing[]): Thing
  /** Returns whether to do something optional. */
  flip(): boolean
}

/** Something that a user tries to do. The server may refuse it. */
export type Action = (world: World, who: Person, pick: Pick) => Promise<unknown>

export async function startWorld({ guestsKnowAll }: { guestsKnowAll: boolean }): Promise<World> {
  const chat = await startChat()
  await chat.change({
    can_access_all_users_group: guestsKnowAll ? 'role:everyone' : 'role:members',
    enable_spectator_access: true,
  })
  const [ada, ann] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ann', { role: Role.administrator }),
  ]
  const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
  const [gus, eve] = [await chat.user('gus', { role: Role.guest }), await chat.user('eve', { role: Role.guest })]
  const helper = await chat.user('helper', { botType: 1, owner: ben })
  await chat.channel('open', [ada, ben, gus, helper])
  await chat.channel('web', [ben], { isWebPublic: true })
  await chat.channel('shared', [ada, ben, gus], { isPrivate: true })
  await chat.channel('guarded', [ben, cleo, eve, helper], { isPrivate: true, isHistoryShared: false })
  await chat.channel('other', [cleo, dan])
  await sendToChannel(ben, { name: 'open' }, '@**Ada** and @**all**')
  await sendToChannel(cleo, { name: 'guarded' }, 'hello', '')
  await sendDirect(dan, [ada, ben])
  const { group_id: makers } = await ada.succeed('POST /user_groups/create', {
    name: 'makers',
    description: '',
    members: [ben.id, gus.id],
  })
  await ada.succeed('POST /user_groups/create', {
    name: 'all',
    description: '',
    members: [eve.id],
    subgroups: [makers],
  })
  for (const field_type of [1, 6])
    await ada.succeed('POST /realm/profile_fields', { name: `F${field_type}`, field_type })
  await ada.succeed('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' })
  for (const person of [ada, ben, gus]) {
    await person.succeed('POST /drafts', {
      drafts: [{ type: 'private', to: [person.id], topic: '', content: 'so far' }],
    })
    await person.succeed('POST /saved_snippets', { title: 'one', content: 'short' })
    await person.succeed('POST /scheduled_messages', {
      type: 'direct',
      to: [person.id],
      content: 'later',
      scheduled_delivery_timestamp: START + 3600,
    })
  }
  for (const person of [ada, ann, ben, cleo, dan, gus, eve]) await submitPassword(chat, person)
  const people = [ada, ann, ben, cleo, dan, gus, eve, helper].map((person) => withCurrentAddress(chat, person))
  return { chat, people }
}

/** Returns the user with calls that authenticate by their current email address. */
function withCurrentAddress(chat: Chat, person: Person): Person {
  async function headers() {
    const { db } = chat.app.services
    const { deliveryEmail: email } = await db
      .selectFrom('users')
      .select('deliveryEmail')
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    return credentials({ ...person, email })
  }
  const call: Person['call'] = async (route, params, more) =>
    person.call(route, params, { ...(await headers()), ...more })
  return {
    ...person,
    call,
    async succeed(route, params) {
      const body = await call(route, params)
      assert.equal(body.result, 'success', `${route}: ${body.msg}`)
      return body
    },
  }
}

/** Returns any channel, under its current name. */
export async function someChannel({ chat }: World, pick: Pick): Promise<{ id: number; name: string }> {
  const channels = await chat.app.services.db
    .selectFrom('channels')
    .select(['id', 'name'])
    .where('realmId', '=', chat.realm.id)
    .orderBy('id')
    .execute()
  return pick(channels)
}

/** Returns a function that picks, using one number for each pick. */
export function pickBy(numbers: readonly number[]): Pick {
  let next = 0
  const number = () => numbers[next++ % numbers.length] as number
  const pick = <Thing>(things: readonly Thing[]) => things[number() % things.length] as Thing
  return Object.assign(pick, { flip: () => number() % 2 === 0 })
}

/** Returns a value that the declaration of a setting accepts. */
export function someValue(type: { safeParse(value: unknown): { success: boolean } }, pick: Pick): unknown {
  return pick(VALUES.filter((value) => type.safeParse(value).success))
}

const VALUES = [
  ...[true, false, -1, 0, 1, 2, 3, 4, 5, 15, 120, 3600],
  ...[null, 'https://meet.example.com'],
  ...['', 'de', 'ding', 'all', 'moves', 'none', 'always', 'never', 'text', 'twitter', 'inbox', 'recent_topics'],
]
