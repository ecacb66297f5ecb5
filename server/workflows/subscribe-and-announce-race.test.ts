import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockChannel } from '#channels/queries.ts'
import { updateChannel } from '#channels/update-channel.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { whileTransactionIsOpen } from '../../test/open-transaction.ts'
import { subscribeAndAnnounce } from './subscribe-and-announce.ts'

const actorOf = async (chat: Chat, person: Person): Promise<Actor> => ({
  ...(await findUser(chat.app.services.db, person.id))!,
  realm: chat.realm,
})

const emittedOps = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type !== 'message').map((event) => `${event.type} ${event['op']}`)

test('a channel that is being made private cannot be joined meanwhile', async () => {
  const chat = await startChat()
  const [ada, cleo] = [await chat.user('ada', { role: Role.administrator }), await chat.user('cleo')]
  const design = await chat.channel('design', [ada])
  const admin = await actorOf(chat, ada)

  let response: unknown
  await whileTransactionIsOpen(
    chat,
    async (tx) =>
      updateChannel(tx, admin, await lockChannel(tx, design.id), { privacy: { isPrivate: true }, settings: {} }),
    async () => {
      response = await cleo.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] })
    },
  )

  assert.partialDeepStrictEqual(response, { status: 400, msg: 'Unable to access channel (design).' })
  assert.deepEqual(await emittedOps(chat, cleo), ['stream delete'])
})

test('a channel that is made private while a user is joining keeps them as a subscriber', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada])
  const joiningUser = await actorOf(chat, cleo)
  const request = {
    channelRequests: [{ name: 'design' }],
    newChannels: { privacy: {}, isDefault: false, settings: {} },
    skipsUnauthorized: false,
    announces: false,
  }

  await whileTransactionIsOpen(
    chat,
    (tx) => subscribeAndAnnounce(tx, joiningUser, request),
    () => ada.succeed(`PATCH /streams/${design.id}`, { is_private: true }),
  )

  assert.deepEqual(await emittedOps(chat, cleo), ['subscription add', 'stream update'])
  assert.deepEqual(await emittedOps(chat, ben), ['subscription peer_add', 'stream delete'])
})
