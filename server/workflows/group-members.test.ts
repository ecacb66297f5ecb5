import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeMembers } from '#groups/members.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { BotType, Role } from '#rules/role.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { markDeactivated } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { A_WHILE } from '../../test/open-transaction.ts'
import { notifyMembers } from './group-members.ts'

/** Ada may manage all groups. Ben created this one and is its only member. */
async function startGroup(name = 'design') {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const plan = { name, description: '', members: [ben.id] }
  const { group_id: id } = await ben.succeed('POST /user_groups/create', plan)
  const change = (person: Person, params: Record<string, unknown>) =>
    person.call(`POST /user_groups/${id}/members`, params)
  return { chat, ada, ben, cleo, id, change }
}

type DirectMessage = { sender_full_name: string; content: string; flags: string[]; display_recipient: { id: number }[] }

/** Returns the direct messages that the person can read, oldest first. */
async function messagesTo(person: Person, params: Record<string, unknown> = {}): Promise<DirectMessage[]> {
  const range = { anchor: 'newest', num_before: 100, num_after: 0, narrow: [['is', 'dm']], apply_markdown: false }
  return (await person.succeed('GET /messages', { ...range, ...params }))['messages']
}

const contentsFor = async (person: Person) => (await messagesTo(person)).map(({ content }) => content)

test('users whom someone else adds to a group or removes from it each get a direct message', async () => {
  const { chat, ada, ben, cleo, change } = await startGroup()
  const dora = await chat.user('dora')

  await change(ada, { add: [cleo.id, dora.id], delete: [ben.id] })
  await change(ada, { delete: [cleo.id] })

  const [added, removed] = ['added you to', 'removed you from'].map(
    (what) => `@_**Ada|${ada.id}** ${what} the group @_*design*.`,
  )
  assert.deepEqual(await contentsFor(cleo), [added, removed])
  assert.deepEqual(await contentsFor(dora), [added])
  assert.deepEqual(await contentsFor(ben), [removed])
  assert.deepEqual(await contentsFor(ada), [])
  const [notice] = await messagesTo(dora)
  assert.partialDeepStrictEqual(notice, { sender_full_name: 'Notification Bot', client: 'Internal', flags: [] })
  assert.equal(notice?.display_recipient.length, 2)
  const { unread_msgs } = await dora.succeed('POST /register')
  assert.partialDeepStrictEqual(unread_msgs, { count: 1, mentions: [] })
  assert.deepEqual((await chat.eventsOf(dora)).map(({ type }) => type).slice(-4), [
    'user_group',
    'user_group',
    'message',
    'user_group',
  ])
})

test('users get no message about their own changes, and bots and deactivated users get none at all', async () => {
  const { chat, ada, ben, cleo, change } = await startGroup()
  const gizmo = await chat.user('gizmo', { botType: BotType.generic, owner: cleo })

  await change(ada, { add: [ada.id, gizmo.id, cleo.id] })
  await change(ada, { delete: [ada.id] })
  await change(ben, { delete: [ben.id] })
  await markDeactivated(chat, cleo)
  const removed = await change(ada, { delete: [gizmo.id, cleo.id] })

  assert.equal(removed.result, 'success')
  for (const person of [ada, ben, gizmo]) assert.deepEqual(await contentsFor(person), [])
  const received = await chat.app.services.db.selectFrom('userMessages').select('userId').execute()
  assert.deepEqual(received, [{ userId: cleo.id }])
})

test('creating, deactivating and nesting groups sends no messages', async () => {
  const { ada, ben, cleo, id } = await startGroup()
  const plan = { name: 'inner', description: '', members: [ben.id, cleo.id], subgroups: [id] }

  const { group_id: inner } = await ada.succeed('POST /user_groups/create', plan)
  await ada.succeed(`POST /user_groups/${inner}/members`, { delete_subgroups: [id] })
  await ada.succeed(`POST /user_groups/${id}/subgroups`, { add: [inner] })
  await ada.succeed(`POST /user_groups/${id}/subgroups`, { delete: [inner] })
  await ada.succeed(`POST /user_groups/${inner}/deactivate`)
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.moderator })

  for (const person of [ben, cleo]) assert.deepEqual(await contentsFor(person), [])
})

test('the message uses silent mentions, and escapes Markdown in names', async () => {
  for (const [name, visible] of [
    ['design & code', '<span class="user-group-mention silent" data-user-group-id="ID">design &amp; code</span>'],
    ['a *b* @**all**', '<code>a *b* @**all**</code>'],
  ] as const) {
    const { ada, cleo, id, change } = await startGroup(name)

    await change(ada, { add: [cleo.id] })

    const [notice] = await messagesTo(cleo, { apply_markdown: true })
    const who = `<span class="user-mention silent" data-user-id="${ada.id}">Ada</span>`
    assert.equal(notice?.content, `<p>${who} added you to the group ${visible.replace('ID', `${id}`)}.</p>`)
    assert.deepEqual(notice?.flags, [])
  }
})

test('no message is sent if the change is refused', async () => {
  const { chat, ada, ben, cleo, id, change } = await startGroup()
  const { db, transaction } = chat.app.services
  const actor: Actor = { ...(await findUser(db, ada.id))!, realm: chat.realm }
  const before = await chat.eventsOf(cleo)

  const absent = await change(ada, { add: [cleo.id], delete: [ada.id] })
  const unknown = await change(ada, { add: [cleo.id, 999] })
  const withoutPermission = await change(cleo, { delete: [ben.id] })
  const failing = transaction(async (tx) => {
    const changes = { add: [cleo.id], remove: [], addSubgroups: [], removeSubgroups: [] }
    await notifyMembers(tx, actor, await changeMembers(tx, actor, id, changes), changes)
    assert.equal((await tx.db.selectFrom('messages').select('id').execute()).length, 1)
    throw new Error('The disk is full')
  })

  await assert.rejects(failing, /The disk is full/)
  for (const response of [absent, unknown, withoutPermission]) assert.equal(response.status, 400)
  for (const person of [ben, cleo]) assert.deepEqual(await contentsFor(person), [])
  assert.deepEqual(await chat.eventsOf(cleo), before)
  assert.deepEqual((await ada.succeed(`GET /user_groups/${id}/members`))['members'], [ben.id])
})

test('adding a user to a group does not block transactions that save messages to the user', async () => {
  const { chat, ada, cleo, change } = await startGroup()

  let adding: Promise<unknown> | undefined
  await chat.app.services.transaction(async (tx) => {
    await lockMessageIds(tx)
    adding = change(ada, { add: [cleo.id] })
    await sleep(A_WHILE)
    // Locks Cleo's account. This fails if it would have to wait for a membership or a conversation that refers to her.
    await tx.db.selectFrom('users').select('id').where('id', '=', cleo.id).forUpdate().noWait().execute()
  })
  await adding

  assert.equal((await contentsFor(cleo)).length, 1)
})
