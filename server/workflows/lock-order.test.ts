import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockChannel, lockChannelNames } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { A_WHILE } from '../../test/open-transaction.ts'

/**
 * Requests that write subscriptions to the channel "design" and take message ids. Ada is an owner, and Ben is in
 * "sales". New users and new channels are announced.
 */
const actions: Record<string, (people: { ada: Person; ben: Person }) => Promise<unknown>> = {
  'subscribing another user': ({ ada, ben }) =>
    ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [ben.id] }),
  'joining it and leaving another': ({ ben }) =>
    ben.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'design' }], delete: ['sales'] }),
  'joining it and announcing a new one': ({ ben }) =>
    ben.succeed('POST /users/me/subscriptions', {
      subscriptions: [{ name: 'design' }, { name: 'fresh' }],
      announce: true,
    }),
  'creating an account that joins it': ({ ada }) =>
    ada.succeed('POST /users', { email: 'cleo@example.com', password: 'correct horse battery', full_name: 'Cleo' }),
}

for (const [what, begin] of Object.entries(actions)) {
  test(`${what} waits for a concurrent rename of the channel, without blocking it`, async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
    const design = await chat.channel('design', [ada])
    await chat.channel('sales', [ben])
    await ada.succeed('POST /default_streams', { stream_id: design.id })
    await chat.change({
      signup_announcements_stream_id: design.id,
      new_stream_announcements_stream_id: design.id,
    })

    let started: Promise<unknown> | undefined
    await chat.app.services.transaction(async (tx) => {
      await lockChannel(tx, design.id)
      await lockMessageIds(tx)
      started = begin({ ada, ben })
      await sleep(A_WHILE)
      // Takes the lock that renaming the channel needs. This fails if it would have to wait for a subscription that
      // refers to the channel.
      await tx.db.selectFrom('channels').select('id').where('id', '=', design.id).forUpdate().noWait().execute()
    })
    await started

    const { subscribers } = await ada.succeed(`GET /streams/${design.id}/members`)
    assert.equal(subscribers.length, 2)
  })
}

test('leaving one channel and creating another does not block a transaction that has locked the names from saving messages', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await sendToChannel(ben, await chat.channel('sales', [ben]))

  let change: Promise<unknown> | undefined
  await chat.app.services.transaction(async (tx) => {
    await lockChannelNames(tx, chat.realm.id)
    change = ben.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'fresh' }], delete: ['sales'] })
    await sleep(A_WHILE)
    await tx.db.selectFrom('counters').select('value').where('name', '=', 'message').forUpdate().noWait().execute()
  })

  assert.partialDeepStrictEqual(await change, { subscribed: { [ben.id]: ['fresh'] }, removed: ['sales'] })
})

const ownChanges: Record<string, (ben: Person, channelId: number) => Promise<unknown>> = {
  leaving: (ben) => ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] }),
  rejoining: (ben) => ben.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] }),
  muting: (ben, stream_id) =>
    ben.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id, property: 'is_muted', value: true }],
    }),
  'asking for emails': (ben, stream_id) =>
    ben.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id, property: 'email_notifications', value: true }],
    }),
}

for (const [what, change] of Object.entries(ownChanges)) {
  test(`${what} does not block another change of the subscription that has taken message ids`, async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])
    if (what === 'rejoining') await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })

    let changing: Promise<unknown> | undefined
    await chat.app.services.transaction(async (tx) => {
      await lockMessageIds(tx)
      changing = change(ben, design.id)
      await sleep(A_WHILE)
      await tx.db
        .selectFrom('subscriptions')
        .select('userId')
        .where('channelId', '=', design.id)
        .forUpdate()
        .noWait()
        .execute()
    })

    await changing
  })
}

test('joining one channel and leaving another waits for a change of the other channel, which then saves a message', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const sales = await chat.channel('sales', [ben])
  await sendToChannel(ben, sales)

  let change: Promise<unknown> | undefined
  await chat.app.services.transaction(async (tx) => {
    await lockChannel(tx, sales.id)
    change = ben.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'fresh' }], delete: ['sales'] })
    await sleep(A_WHILE)
    await tx.db.selectFrom('counters').select('value').where('name', '=', 'message').forUpdate().noWait().execute()
  })

  assert.partialDeepStrictEqual(await change, { subscribed: { [ben.id]: ['fresh'] }, removed: ['sales'] })
})
