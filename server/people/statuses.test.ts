import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { markDeactivated, refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { whileTransactionIsOpen } from '../../test/open-transaction.ts'
import { saveStatus } from './statuses.ts'

async function statusEventsFor(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter((event) => event.type === 'user_status')
}

async function statusOf(viewer: Person, person: Person): Promise<unknown> {
  return (await viewer.succeed(`GET /users/${person.id}/status`))['status']
}

const coffee = { emoji_name: 'coffee', emoji_code: '2615', reaction_type: 'unicode_emoji' }

test('the parts of a status are set and removed one by one, and the events contain only the changed parts', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const seen: unknown[] = []

  for (const given of [
    { status_text: '  on a break ' },
    { emoji_name: 'coffee' },
    { status_text: '' },
    { emoji_name: '' },
  ]) {
    await ben.succeed('POST /users/me/status', given)
    seen.push(await statusOf(cleo, ben))
  }

  assert.deepEqual(seen, [{ status_text: 'on a break' }, { status_text: 'on a break', ...coffee }, coffee, {}])
  const status = { type: 'user_status', user_id: ben.id }
  assert.deepEqual(await statusEventsFor(chat, cleo), [
    { ...status, status_text: 'on a break' },
    { ...status, ...coffee },
    { ...status, status_text: '' },
    { ...status, emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' },
  ])
  assert.deepEqual(await statusEventsFor(chat, ben), await statusEventsFor(chat, cleo))
})

test('an official client receives the extra emoji under the name that it knows', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await ben.succeed('POST /users/me/status', { emoji_name: 'parley' })
  const own = await ben.succeed(`GET /users/${ben.id}/status`)
  const official = await ben.call(`GET /users/${ben.id}/status`, {}, { 'user-agent': 'ZulipFlutter/30' })

  const extra = { emoji_name: 'parley', emoji_code: 'parley' }
  assert.partialDeepStrictEqual(own, { status: { ...extra, reaction_type: 'service_extra_emoji' } })
  assert.partialDeepStrictEqual(official, { status: { ...extra, reaction_type: 'zulip_extra_emoji' } })
})

test('an invalid status is refused and not emitted', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cases: [Record<string, unknown>, string][] = [
    [{}, 'Client did not pass any new values.'],
    [{ reaction_type: 'unicode_emoji' }, 'Client did not pass any new values.'],
    [{ reaction_type: '' }, 'Client did not pass any new values.'],
    [{ emoji_name: ' coffee ', reaction_type: '' }, 'Invalid emoji type.'],
    [{ status_text: 'a\0b' }, 'Invalid status_text: it contains a null byte'],
    [{ status_text: 'é'.repeat(61) }, 'status_text is too long (limit: 60 characters)'],
    [
      { status_text: 'hi', emoji_code: '2615' },
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    ],
    [{ emoji_name: 'nonsense' }, "Emoji 'nonsense' does not exist"],
    [{ emoji_name: 'coffee', emoji_code: '1f44d' }, 'Invalid emoji name.'],
    [{ emoji_name: 'coffee', reaction_type: 'other' }, 'Invalid emoji type.'],
    [{ emoji_name: 'coffee', emoji_code: '7', reaction_type: 'realm_emoji' }, 'Invalid custom emoji'],
  ]

  for (const [given, msg] of cases)
    assert.deepEqual(await ben.call('POST /users/me/status', given), refusalResponse(msg))
  const longest = await ben.call('POST /users/me/status', { status_text: ` ${'é'.repeat(60)} ` })

  assert.equal(longest.result, 'success')
  assert.equal((await statusEventsFor(chat, ben)).length, 1)
})

test('the parameter away stops sharing presence', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await ben.succeed('POST /users/me/status', { away: true })

  const changes = (await chat.eventsOf(ben)).filter((event) => event.type === 'user_settings')
  assert.partialDeepStrictEqual(changes, [{ property: 'presence_enabled', value: false }])
  assert.deepEqual(await statusOf(ben, ben), {})
})

test('only users who may see a user receive their status', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const dan = await chat.user('dan')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await chat.change({ can_access_all_users_group: 'role:members' })
  await markDeactivated(chat, dan)

  await ben.succeed('POST /users/me/status', { status_text: 'here' })
  const status = (viewer: Person, person: Person) => viewer.call(`GET /users/${person.id}/status`)

  for (const person of [ben, dan]) assert.deepEqual(await status(gus, person), refusalResponse('No such user'))
  assert.deepEqual(await status(eve, ben), refusalResponse('No such user'))
  assert.deepEqual(await status(ben, dan), refusalResponse('User is deactivated'))
  assert.deepEqual(await statusEventsFor(chat, gus), [])
})

test('a status with an end is cleared at that time, and everyone receives it', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const end = Math.floor(chat.clock.now()) + 1800

  await ben.succeed('POST /users/me/status', { status_text: 'lunch', emoji_name: 'coffee', scheduled_end_time: end })
  const before = await statusOf(cleo, ben)
  await chat.app.jobs.statuses.settled()
  await chat.clock.advance(1801)
  await chat.app.jobs.statuses.settled()

  assert.deepEqual(before, { status_text: 'lunch', ...coffee, scheduled_end_time: end })
  assert.deepEqual(await statusOf(cleo, ben), {})
  const status = { type: 'user_status', user_id: ben.id }
  assert.deepEqual(await statusEventsFor(chat, cleo), [
    { ...status, status_text: 'lunch', ...coffee, scheduled_end_time: end },
    {
      ...status,
      ...{ status_text: '', emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji', scheduled_end_time: null },
    },
  ])
})

test('the end of a status can be changed and removed, and a new status without an end stays', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const now = Math.floor(chat.clock.now())
  const seen: unknown[] = []

  for (const given of [
    { status_text: 'lunch', scheduled_end_time: now + 60 },
    { scheduled_end_time: now + 120 },
    { scheduled_end_time: null },
    { scheduled_end_time: now + 60 },
    { status_text: 'long lunch' },
  ]) {
    await ben.succeed('POST /users/me/status', given)
    seen.push(await statusOf(ben, ben))
  }
  await chat.app.jobs.statuses.settled()
  await chat.clock.advance(300)
  await chat.app.jobs.statuses.settled()

  assert.deepEqual(seen, [
    { status_text: 'lunch', scheduled_end_time: now + 60 },
    { status_text: 'lunch', scheduled_end_time: now + 120 },
    { status_text: 'lunch' },
    { status_text: 'lunch', scheduled_end_time: now + 60 },
    { status_text: 'long lunch' },
  ])
  assert.deepEqual(await statusOf(ben, ben), { status_text: 'long lunch' })
})

test('a status cannot end in the past, and an empty one has no end', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const now = Math.floor(chat.clock.now())

  const past = await ben.call('POST /users/me/status', { status_text: 'gone', scheduled_end_time: now })
  await ben.succeed('POST /users/me/status', { status_text: '', scheduled_end_time: now + 60 })

  assert.deepEqual(past, refusalResponse('Invalid scheduled_end_time: the time is not in the future'))
  assert.deepEqual(await statusOf(ben, ben), {})
})

test('a status that is set while the previous one ends is kept', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const end = Math.floor(chat.clock.now()) + 60
  await ben.succeed('POST /users/me/status', { status_text: 'lunch', scheduled_end_time: end })
  await chat.app.jobs.statuses.settled()

  await whileTransactionIsOpen(
    chat,
    (tx) => saveStatus(tx, ben.id, { text: 'long lunch', emoji: null, endsAt: end + 3600 }),
    () => chat.clock.advance(61),
  )
  await chat.app.jobs.statuses.settled()

  assert.deepEqual(await statusOf(ben, ben), { status_text: 'long lunch', scheduled_end_time: end + 3600 })
  assert.equal((await statusEventsFor(chat, ben)).length, 1)
})
