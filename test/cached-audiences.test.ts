import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findActiveUsers, findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { findMentionableUsers } from '#messages/content.ts'
import { findChannelNotificationUserIds } from '#messages/notifiable-users.ts'
import { findUser, findUserByDeliveryEmail, saveUserEmail } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { type Chat, type Person, startChat } from './harness.ts'
import { sized } from './size.ts'

const STEPS = sized(60, 600)
const NAMES = ['Ada', 'ADA', 'Ben', 'Cleo']

/** Returns everything that the caches answer about these users and channels. */
async function readAll(db: Db, chat: Chat, people: readonly Person[], channels: readonly Channel[]) {
  const { id: realmId } = chat.realm
  const mentionable = await findMentionableUsers(db, realmId)
  const ofChannels = channels.map(async ({ id }) => ({
    subscriberIds: await findChannelSubscriberIds(db, id),
    notifiedIds: [...(await findChannelNotificationUserIds(db, id))].sort((one, other) => one - other),
  }))
  const ofPeople = people.map(async ({ id, email }) => ({
    user: await findUser(db, id),
    ofEmail: (await findUserByDeliveryEmail(db, realmId, email))?.id,
    mentioned: mentionable.withId(id),
  }))
  return {
    active: await findActiveUsers(db, realmId),
    channels: await Promise.all(ofChannels),
    people: await Promise.all(ofPeople),
    named: [...NAMES, 'Nobody', 'Welcome Bot'].map((name) => mentionable.named(name)),
  }
}

test('caches answer like the database after any changes to accounts and subscriptions', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const people = [ada, ...(await Promise.all(['ben', 'cleo', 'dan', 'eve'].map((name) => chat.user(name))))]
  const channels = [await chat.channel('design', people.slice(0, 3)), await chat.channel('tea', people.slice(2))]
  let state = 12345
  const pick = <Item>(items: readonly Item[]): Item => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return items[(state >> 8) % items.length] as Item
  }
  const { transaction } = chat.app.services

  const steps: (() => Promise<unknown>)[] = [
    () => ada.call(`PATCH /users/${pick(people).id}`, { full_name: pick(NAMES) }),
    () =>
      ada.call(`PATCH /users/${pick(people.slice(1)).id}`, { role: pick([Role.guest, Role.member, Role.moderator]) }),
    () => ada.call(`DELETE /users/${pick(people.slice(1)).id}`),
    () => ada.call(`POST /users/${pick(people.slice(1)).id}/reactivate`),
    () => pick(people).call('PATCH /settings', { enable_stream_push_notifications: pick([true, false]) }),
    () => pick(people).call('PATCH /settings', { twenty_four_hour_time: pick([true, false]) }),
    () => {
      const change = { stream_id: pick(channels).id, property: 'email_notifications', value: pick([true, false]) }
      return pick(people).call('POST /users/me/subscriptions/properties', { subscription_data: [change] })
    },
    () =>
      ada.call('POST /users/me/subscriptions', {
        subscriptions: [{ name: pick(channels).name }],
        principals: [pick(people).id],
      }),
    () =>
      ada.call('DELETE /users/me/subscriptions', {
        subscriptions: [pick(channels).name],
        principals: [pick(people).id],
      }),
    async () => {
      const { id, email } = pick(people)
      await transaction((tx) => saveUserEmail(tx, id, pick([email, `former-${email}`])))
    },
    async () => {
      if (people.length < 12) people.push(await chat.user(`new${people.length}`, { fullName: pick(NAMES) }))
    },
  ]

  const { db } = chat.app.storage
  for (let step = 0; step < STEPS; step += 1) {
    await Promise.all([pick(steps)(), ...(step % 3 === 0 ? [pick(steps)()] : [])])
    const cached = await readAll(db, chat, people, channels)
    const read = await transaction((tx) => {
      // A transaction that has written every table bypasses all caches.
      Object.assign(tx.db, { written: { has: () => true } })
      return readAll(tx.db, chat, people, channels)
    })
    assert.deepEqual(cached, read, `after step ${step}`)
  }
})
