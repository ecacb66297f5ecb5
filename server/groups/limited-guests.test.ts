import assert from 'node:assert/strict'
import test from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { addToChannel, leaveChannel } from '../../test/messages.ts'

type Group = { id: number; name: string; members: number[] }

/** Gus is a guest who may only see Ben, with whom he shares a channel. Ada owns the organization. */
async function startLimited() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const shared = await chat.channel('shared', [ben, gus])
  const plan = { name: 'design', description: '', members: [ada.id, ben.id, bot.id] }
  const { group_id: id } = await ada.succeed('POST /user_groups/create', plan)
  return { chat, ada, ben, gus, bot, shared, id: id as number }
}

const groupEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'user_group').map(({ type, ...event }) => event)

const names = (groups: Group[], { id }: Person) =>
  groups.filter(({ members }) => members.includes(id)).map(({ name }) => name)

test('limited guests only find group members that they may see', async () => {
  const { ada, ben, gus, bot, id } = await startLimited()

  const lists: Group[][] = [
    (await gus.succeed('GET /user_groups'))['user_groups'],
    (await gus.succeed('POST /register', { fetch_event_types: ['realm_user_groups'] }))['realm_user_groups'],
  ]
  const members = (await gus.succeed(`GET /user_groups/${id}/members`))['members']
  const isMember = async (person: Person) =>
    (await gus.succeed(`GET /user_groups/${id}/members/${person.id}`))['is_user_group_member']

  for (const groups of lists) {
    assert.deepEqual(names(groups, ada), [])
    assert.deepEqual(names(groups, ben), ['role:fullmembers', 'role:members', 'design'])
    assert.ok(names(groups, bot).includes('design'))
    assert.deepEqual(names(groups, gus), ['role:everyone'])
  }
  assert.deepEqual(members, [ben.id, bot.id])
  assert.deepEqual([await isMember(ada), await isMember(ben)], [false, true])
  assert.deepEqual((await ben.succeed(`GET /user_groups/${id}/members`))['members'], [ada.id, ben.id, bot.id])
})

test('limited guests only receive group events about members that they may see', async () => {
  const { chat, ada, ben, gus, bot, id } = await startLimited()
  const cleo = await chat.user('cleo')
  const before = (await groupEvents(chat, gus)).length

  await ada.succeed(`POST /user_groups/${id}/members`, { add: [cleo.id], delete: [ada.id] })
  await ada.succeed(`POST /user_groups/${id}/members`, { add: [ada.id], delete: [ben.id, cleo.id] })
  await ada.succeed(`PATCH /users/${cleo.id}`, { role: Role.moderator })

  const received = (await groupEvents(chat, gus)).slice(before)
  assert.deepEqual(received, [{ op: 'remove_members', group_id: id, user_ids: [ben.id] }])
  const [created] = await groupEvents(chat, gus)
  assert.partialDeepStrictEqual(created, { op: 'add', group: { id, members: [ben.id, bot.id] } })
})

test('limited guests learn the groups of users who become visible, and lose those of users who become hidden', async () => {
  const { chat, ada, gus, shared, id } = await startLimited()
  const before = (await groupEvents(chat, gus)).length

  await addToChannel(ada, shared, [ada])
  const found = (await groupEvents(chat, gus)).slice(before)
  await leaveChannel(ada, shared)
  const lost = (await groupEvents(chat, gus)).slice(before + found.length)

  assert.deepEqual(found.at(-1), { op: 'add_members', group_id: id, user_ids: [ada.id] })
  assert.equal(found.length, 2)
  const groups = (await gus.succeed('GET /user_groups', { include_deactivated_groups: true }))['user_groups'] as Group[]
  assert.deepEqual(
    lost,
    groups.map((group) => ({ op: 'remove_members', group_id: group.id, user_ids: [ada.id] })),
  )
})
