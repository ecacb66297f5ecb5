import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createUser } from '#accounts/change-users.ts'
import { saveChannelFields } from '#channels/queries.ts'
import { Flag } from '#messages/flags.ts'
import { addFlag } from '#messages/mark-read.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Chat, startChat } from '../harness.ts'
import { fetchMessage, invalidMessage, sendDirect, sendToChannel } from '../messages.ts'

/** Starts `other` while a transaction that has run `work` is still open, and gives it time to reach that. */
async function during<Result>(
  chat: Chat,
  work: (tx: Transaction) => Promise<unknown>,
  other: () => Promise<Result>,
): Promise<Result> {
  const begun: Promise<Result>[] = []
  await chat.app.services.transaction(async (tx) => {
    await work(tx)
    begun.push(other())
    await setTimeout(100)
  })
  return begun[0] as Promise<Result>
}

test("of two concurrent changes of the organization's settings, neither reverts the other", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  await during(
    chat,
    (tx) => saveRealmSettings(tx, chat.realm.id, { max_invites: 7 }),
    () => chat.change({ license_limit: 8 }),
  )

  const row = await chat.app.services.db
    .selectFrom('realms')
    .select('settings')
    .where('id', '=', ada.realm.id)
    .execute()
  assert.partialDeepStrictEqual(JSON.parse(row[0]?.settings ?? ''), { max_invites: 7, license_limit: 8 })
})

test('a group that is being assigned to a setting cannot be deactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const { group_id } = await ada.succeed('POST /user_groups/create', { name: 'team', description: '', members: [] })

  const answer = await during(
    chat,
    (tx) => saveRealmSettings(tx, chat.realm.id, { can_invite_users_group: group_id }),
    () => ada.call(`POST /user_groups/${group_id}/deactivate`),
  )

  assert.equal(answer.code, 'CANNOT_DEACTIVATE_GROUP_IN_USE')
})

test('a name that must be unique is not taken twice', async () => {
  const chat = await startChat()
  await chat.change({ require_unique_names: true })
  const ada = await chat.user('ada', { role: Role.owner })
  const realm = { ...chat.realm, settings: { ...chat.realm.settings, require_unique_names: true } }
  const dan = { fullName: 'Dan', deliveryEmail: 'dan@example.com', role: Role.member }

  const answer = await during(
    chat,
    (tx) => createUser(tx, realm, dan),
    () => ada.call('POST /users', { email: 'other@example.com', full_name: 'DAN', password: 'correct horse' }),
  )

  assert.equal(answer.msg, 'Unique names required in this organization.')
})

test('a channel that is being made private does not become a default channel', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const design = await chat.channel('design', [ada])

  const answer = await during(
    chat,
    (tx) => saveChannelFields(tx, design.id, { isPrivate: true, isHistoryShared: false }),
    () => ada.call('POST /default_streams', { stream_id: design.id }),
  )

  assert.equal(answer.msg, 'Private channels cannot be made default.')
})

test('an edit keeps stars that are being added', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben])

  await during(
    chat,
    (tx) => addFlag(tx, ben.id, [id], Flag.starred),
    () => ada.succeed(`PATCH /messages/${id}`, { content: '@**Ben**' }),
  )

  assert.deepEqual((await fetchMessage(ben, id)).flags, ['starred', 'mentioned'])
})

test('a message that is being deleted cannot get reactions, stars or attachments', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada])
  const acts = [
    (id: number) => ben.call(`POST /messages/${id}/reactions`, { emoji_name: 'smile' }),
    (id: number) => ben.call('POST /messages/flags', { op: 'add', flag: 'starred', messages: [id] }),
    (id: number) => ada.call('POST /submessage', { message_id: id, msg_type: 'widget', content: '1' }),
    (id: number) => ada.call(`DELETE /messages/${id}`),
  ]

  for (const act of acts) {
    const id = await sendToChannel(ada, design)
    const answer = await during(
      chat,
      (tx) => tx.deleteFrom('messages').where('id', '=', id).execute(),
      () => act(id),
    )
    assert.deepEqual(answer, invalidMessage)
  }
})

test('concurrent requests do not exceed the daily limit of invitations', async () => {
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true } })
  await chat.change({ max_invites: 5 })
  const alice = await chat.user('alice')
  const twice = (at: number) => ({ invitee_emails: `a${at}@x.com,b${at}@x.com`, stream_ids: [] })

  const answers = await Promise.all([1, 2, 3, 4].map((at) => alice.call('POST /invites', twice(at))))

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 200, 400, 400])
})

test('regenerating an API key invalidates the key that is being issued', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await during(
    chat,
    (tx) => issueApiKey(tx, ben.id, 'thief'),
    () => ben.succeed('POST /users/me/api_key/regenerate'),
  )

  const keys = await chat.app.services.db.selectFrom('apiKeys').select('client').where('userId', '=', ben.id).execute()
  assert.equal(keys.length, 1)
})
