import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Browser, signIn } from '../../test/browser.ts'
import { type Chat, type Person, personOf, START, startChat } from '../../test/harness.ts'
import { accept, keyOfInvitation, keyOfLink } from '../../test/joining.ts'

const ADMINISTRATORS_ONLY = 'Must be an organization administrator'

/** Starts a chat with an administrator who has every kind of credential, and an owner. */
async function startWithCredentials() {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ada = await chat.user('ada', { role: Role.administrator })
  const bot = await chat.user('robo', { role: Role.administrator, botType: BotType.generic, owner: ada })
  const browser = await signIn(chat, ada)
  const news = await chat.channel('news', [olga, ada], { settings: { can_send_message_group: 'role:administrators' } })
  const keys = [
    await keyOfInvitation(chat, ada, 'new@example.com', { invite_as: Role.administrator }),
    await keyOfLink(ada, { invite_as: Role.administrator }),
  ]
  await ada.succeed('POST /scheduled_messages', {
    type: 'channel',
    to: news.id,
    topic: 'later',
    content: 'from an administrator',
    scheduled_delivery_timestamp: START + 600,
  })
  const queues = [
    { person: ada, ...(await register(ada)) },
    { person: bot, ...(await register(bot)) },
  ]
  return { chat, olga, ada, bot, browser, news, keys, queues }
}

const register = async (person: Person) =>
  (await person.succeed('POST /register', { event_types: ['invites_changed'] })) as unknown as { queue_id: string }

/** Calls an endpoint that requires an administrator, once with each of the credentials. */
const tryAdministratorCall = (callers: readonly (Person | Browser)[]) =>
  Promise.all(callers.map((caller) => caller.call('PATCH /realm', { description: 'taken over' })))

const acceptAll = async (chat: Chat, keys: readonly string[]) => {
  const outcomes: string[] = []
  for (const [index, key] of keys.entries())
    outcomes.push(await accept(chat, key, { email: `late${index}@example.com` }))
  return outcomes
}

async function contentsIn(olga: Person, channel: { id: number }): Promise<string[]> {
  const narrow = [{ operator: 'channel', operand: channel.id }]
  const { messages } = await olga.succeed('GET /messages', { narrow, anchor: 'newest', num_before: 10, num_after: 0 })
  return messages.map(({ content }: { content: string }) => content)
}

async function passTime(chat: Chat): Promise<void> {
  await chat.app.jobs.scheduledMessages.settled()
  await chat.clock.advance(1200)
  await chat.app.jobs.scheduledMessages.settled()
}

test("after a demotion, none of the user's credentials grants administrator permissions", async () => {
  const { chat, olga, ada, bot, browser, news, keys, queues } = await startWithCredentials()
  const before = await tryAdministratorCall([ada, browser, bot])

  await olga.succeed(`PATCH /users/${ada.id}`, { role: Role.member })

  assert.deepEqual(
    before.map(({ result }) => result),
    ['success', 'success', 'success'],
  )
  const after = await tryAdministratorCall([ada, browser, bot])
  assert.deepEqual(
    after.map(({ msg }) => msg),
    [ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY],
  )
  assert.equal((await olga.succeed(`GET /users/${bot.id}`))['user'].role, Role.member)
  assert.equal((await bot.succeed('GET /users/me'))['is_admin'], false)
  assert.equal((await bot.call(`PATCH /bots/${bot.id}`, { role: Role.administrator })).result, 'error')
  assert.equal((await ada.call(`PATCH /bots/${bot.id}`, { role: Role.administrator })).msg, ADMINISTRATORS_ONLY)
  assert.deepEqual((await acceptAll(chat, keys)).includes('in'), false)
  await olga.succeed('POST /invites', { invitee_emails: 'other@example.com', stream_ids: [] })
  for (const { person, queue_id } of queues) {
    const { events } = await person.succeed('GET /events', { queue_id, last_event_id: -1, dont_block: true })
    const received = events.filter(({ type }: { type: string }) => type === 'invites_changed')
    assert.deepEqual(received, [])
  }
  await passTime(chat)
  assert.deepEqual(await contentsIn(olga, news), [])
})

test("after a deactivation, none of the user's credentials works", async () => {
  const { chat, olga, ada, bot, browser, news, keys, queues } = await startWithCredentials()

  await olga.succeed(`DELETE /users/${ada.id}`)

  const after = await tryAdministratorCall([ada, browser, bot])
  assert.deepEqual(
    after.map(({ status }) => status),
    [401, 401, 401],
  )
  assert.deepEqual((await acceptAll(chat, keys)).includes('in'), false)
  for (const { person, queue_id } of queues)
    assert.equal((await person.call('GET /events', { queue_id, last_event_id: -1, dont_block: true })).status, 401)
  await passTime(chat)
  assert.deepEqual(await contentsIn(olga, news), [])
})

test('a bot never has more permissions than its owner, whatever its row contains', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const gone = await chat.user('gone', { role: Role.owner })
  const bots = [
    await chat.user('a', { role: Role.owner, botType: BotType.generic, owner: ben }),
    await chat.user('b', { role: Role.owner, botType: BotType.generic }),
    await chat.user('c', { role: Role.owner, botType: BotType.generic, owner: gone }),
  ]
  await chat.app.services.transaction((tx) => saveUserFields(tx, gone.id, { deactivatedAt: tx.now }))

  const responses = await tryAdministratorCall(bots)

  assert.deepEqual(
    responses.map(({ msg }) => msg),
    [ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY],
  )
  for (const bot of bots) {
    const { is_admin, is_owner } = await bot.succeed('GET /users/me')
    assert.deepEqual([is_admin, is_owner], [false, false])
  }
})

test('a bot gets the role of its new owner if that is lower', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')
  const bot = await chat.user('robo', { role: Role.owner, botType: BotType.generic, owner: olga })

  await olga.succeed(`PATCH /bots/${bot.id}`, { bot_owner_id: ben.id })
  const { api_key } = await ben.succeed(`POST /bots/${bot.id}/api_key/regenerate`)
  const withNewKey = personOf(chat, chat.realm, { id: bot.id, deliveryEmail: bot.email }, api_key)

  assert.deepEqual(
    (await tryAdministratorCall([withNewKey])).map(({ msg }) => msg),
    [ADMINISTRATORS_ONLY],
  )
  assert.equal((await olga.succeed(`GET /users/${bot.id}`))['user'].role, Role.member)
  const back = await olga.call(`PATCH /bots/${bot.id}`, { role: Role.administrator })
  assert.equal(back.msg, 'A bot cannot have a higher role than its owner.')
})

test('only organization owners can manage bots of organization owners', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const otto = await chat.user('otto', { role: Role.owner })
  const ada = await chat.user('ada', { role: Role.administrator })
  const bot = await chat.user('robo', { botType: BotType.generic, owner: olga })
  const other = await chat.user('robo2', { role: Role.owner, botType: BotType.generic, owner: otto })
  const ended = await chat.user('robo3', { botType: BotType.generic, owner: olga })
  await olga.succeed(`DELETE /bots/${ended.id}`)

  const refused: string[] = []
  for (const { id } of [bot, other]) {
    const responses = [
      await ada.call(`POST /bots/${id}/api_key/regenerate`),
      await ada.call(`POST /bots/${id}/api_keys`),
      await ada.call(`PATCH /bots/${id}`, { bot_owner_id: ada.id }),
      await ada.call(`PATCH /bots/${id}`, { role: Role.moderator }),
      await ada.call(`PATCH /bots/${id}`, { full_name: 'Mine' }),
      await ada.call(`PATCH /users/${id}`, { full_name: 'Mine' }),
      await ada.call(`DELETE /bots/${id}`),
    ]
    refused.push(...responses.map(({ msg }) => msg))
  }
  refused.push((await ada.call(`POST /users/${ended.id}/reactivate`)).msg)

  assert.deepEqual(new Set(refused), new Set(['Must be an organization owner']))
  assert.equal((await otto.call(`POST /bots/${bot.id}/api_key/regenerate`)).result, 'success')
  assert.equal((await otto.call(`POST /users/${ended.id}/reactivate`)).result, 'success')
})
