import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { markDeactivated, refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { FieldType } from './profile-fields.ts'

async function add(person: Person, name: string, field_type: number, more: Record<string, unknown> = {}) {
  const { id } = await person.succeed('POST /realm/profile_fields', { name, field_type, ...more })
  return id as number
}

const say = (person: Person, id: number, value: unknown) =>
  person.call('PATCH /users/me/profile_data', { data: [{ id, value }] })

async function profileOf(viewer: Person, person: Person): Promise<Record<string, unknown>> {
  const { user } = await viewer.succeed(`GET /users/${person.id}`, { include_custom_profile_fields: true })
  return user.profile_data
}

async function profileEventsFor(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter(({ type, op }) => type === 'realm_user' && op === 'update')
}

const change = (person: Person, field: Record<string, unknown>) => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id: person.id, custom_profile_field: field },
})

test('profile values are visible to everyone, rendered if they are text, and emitted when they change', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: Role.guest })]
  const [phone, mentor] = [await add(ada, 'Phone', FieldType.shortText), await add(ada, 'Mentor', FieldType.people)]

  const data = [
    { id: phone, value: '**12**' },
    { id: mentor, value: [ada.id] },
  ]
  await ben.succeed('PATCH /users/me/profile_data', { data })
  await ben.succeed('PATCH /users/me/profile_data', { data })
  const profile = await profileOf(gus, ben)
  await ben.succeed('DELETE /users/me/profile_data', { data: [mentor] })
  await ben.succeed('DELETE /users/me/profile_data', { data: [mentor] })

  const saved = { value: '**12**', rendered_value: '<p><strong>12</strong></p>' }
  assert.deepEqual(profile, { [phone]: saved, [mentor]: { value: `[${ada.id}]` } })
  assert.deepEqual(await profileEventsFor(chat, gus), [
    change(ben, { id: phone, ...saved }),
    change(ben, { id: mentor, value: `[${ada.id}]` }),
    change(ben, { id: mentor, value: null }),
  ])
  assert.deepEqual(await profileOf(ben, ben), { [phone]: saved })
})

test('all lists of users can include profiles, but bots have none', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await chat.user('helper', { botType: 1, owner: ada })
  const phone = await add(ada, 'Phone', FieldType.pronouns)
  await say(ada, phone, 'she')

  const own = await ada.succeed('GET /users/me')
  const { members } = await ada.succeed('GET /users', { include_custom_profile_fields: true })
  const { members: without } = await ada.succeed('GET /users')
  const { realm_users } = await ada.succeed('POST /register', { fetch_event_types: ['realm_user'] })

  const profile = { [phone]: { value: 'she' } }
  const profilesOf = (people: { profile_data?: unknown }[]) => people.map(({ profile_data }) => profile_data)
  assert.deepEqual(own['profile_data'], profile)
  assert.deepEqual(profilesOf(members), [profile, undefined])
  assert.deepEqual(profilesOf(without), [undefined, undefined])
  assert.deepEqual(profilesOf(realm_users), [profile, undefined])
})

test('a value must match the type of its field, or the whole request is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const helper = await chat.user('helper', { botType: 1, owner: ada })
  const gone = await chat.user('gone')
  await markDeactivated(chat, gone)
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const short = await add(ada, 'Phone', FieldType.shortText)
  const long = await add(ada, 'Life', FieldType.longText)
  const field_data = { vim: { text: 'Vim', order: '1' } }
  const editor = await add(ada, 'Editor', FieldType.choice, { field_data })
  const date = await add(ada, 'Birthday', FieldType.date)
  const link = await add(ada, 'Site', FieldType.link)
  const people = await add(ada, 'Mentor', FieldType.people)
  const account = await add(ada, '', FieldType.externalAccount, { field_data: { subtype: 'github' } })
  const pronouns = await add(ada, 'Pronouns', FieldType.pronouns)
  const validValues: [number, unknown][] = [
    [short, 'é'.repeat(50)],
    [long, 'é'.repeat(500)],
    [editor, 'vim'],
    [date, '1909-03-05'],
    [date, '2000-02-29'],
    [link, 'https://example.com/x?y#z'],
    [people, [ada.id, ben.id, ada.id]],
    [account, 'ben'],
    [pronouns, 'he'],
  ]
  const refusals: [number, unknown, string][] = [
    [short, 'é'.repeat(51), 'Phone is too long (limit: 50 characters)'],
    [short, 5, 'Phone is not a string'],
    [long, 'é'.repeat(501), 'Life is too long (limit: 500 characters)'],
    [editor, 'constructor', "'constructor' is not a valid choice for 'Editor'."],
    [date, '1909-3-5', 'Birthday is not a date'],
    [date, '2001-02-29', 'Birthday is not a date'],
    [date, [1], 'Birthday is not a string'],
    [link, 'javascript://example.com/%0aalert(1)', 'Site is not a URL'],
    [link, 'https://nowhere', 'Site is not a URL'],
    [people, 'x', 'User IDs is not a list'],
    [people, ['x'], 'User IDs[0] is not an integer'],
    [people, [99_999], 'Invalid user ID: 99999'],
    [people, [eve.id], `Invalid user ID: ${eve.id}`],
    [people, [gone.id], `User with ID ${gone.id} is deactivated`],
    [people, [helper.id], `User with ID ${helper.id} is a bot`],
    [account, 'x'.repeat(51), 'GitHub username is too long (limit: 50 characters)'],
    [pronouns, 'x'.repeat(51), 'Pronouns is too long (limit: 50 characters)'],
    [99_999, 'x', 'Field id 99999 not found.'],
  ]

  for (const [id, value, msg] of refusals) {
    const data = [
      { id: short, value: 'first' },
      { id, value },
    ]
    assert.deepEqual(await ben.call('PATCH /users/me/profile_data', { data }), refusalResponse(msg))
  }
  assert.deepEqual(await profileOf(ben, ben), {})
  for (const [id, value] of validValues)
    assert.equal((await say(ben, id, value)).result, 'success', JSON.stringify(value))
  assert.partialDeepStrictEqual(await profileOf(ben, ben), { [people]: { value: `[${ada.id},${ben.id}]` } })
})

test('users cannot change fields that only administrators can edit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const rank = await add(ada, 'Rank', FieldType.shortText, { editable_by_user: false })
  const fixed = refusalResponse('You are not allowed to change this field. Contact an administrator to update it.')

  await ada.succeed(`PATCH /users/${ben.id}`, { profile_data: [{ id: rank, value: 'chief' }] })

  assert.deepEqual(await say(ben, rank, 'king'), fixed)
  assert.deepEqual(await ben.call('DELETE /users/me/profile_data', { data: [rank] }), fixed)
  assert.partialDeepStrictEqual(await profileOf(ben, ben), { [rank]: { value: 'chief' } })
})

test('administrators can change values of other users, and an empty value removes the current one', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const helper = await chat.user('helper', { botType: 1, owner: ben })
  const phone = await add(ada, 'Phone', FieldType.shortText)
  const give = (by: Person, to: Person, value: unknown) =>
    by.call(`PATCH /users/${to.id}`, { profile_data: [{ id: phone, value }] })

  assert.equal((await give(ada, ben, '12')).result, 'success')
  assert.deepEqual(await give(cleo, ben, '34'), refusalResponse('Insufficient permission'))
  assert.deepEqual(await give(ben, helper, '34'), refusalResponse(`Field id ${phone} not found.`))
  assert.partialDeepStrictEqual(await profileOf(cleo, ben), { [phone]: { value: '12' } })
  for (const nothing of ['', null, []]) {
    await give(ada, ben, '12')
    await give(ada, ben, nothing)
    assert.deepEqual(await profileOf(cleo, ben), {})
  }
})

test('values of removed choices and of removed fields are deleted', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const [vim, emacs] = [
    { text: 'Vim', order: '1' },
    { text: 'Emacs', order: '2' },
  ]
  const editor = await add(ada, 'Editor', FieldType.choice, { field_data: { vim, emacs } })
  const phone = await add(ada, 'Phone', FieldType.shortText)
  await say(ada, editor, 'vim')
  await say(ben, editor, 'emacs')
  await say(ben, phone, '12')

  await ada.succeed(`PATCH /realm/profile_fields/${editor}`, { field_data: { emacs } })
  await ada.succeed(`DELETE /realm/profile_fields/${phone}`)

  assert.deepEqual((await profileEventsFor(chat, ben)).at(-1), change(ada, { id: editor, value: null }))
  assert.deepEqual(await profileOf(ben, ada), {})
  assert.deepEqual(await profileOf(ben, ben), { [editor]: { value: 'emacs' } })
})

test('a limited guest gets the profile of a user as soon as the user becomes visible', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const [phone, mentor] = [await add(ada, 'Phone', FieldType.shortText), await add(ada, 'Mentor', FieldType.people)]
  const design = await chat.channel('design', [ada, ben])
  await chat.change({ can_access_all_users_group: 'role:members' })

  await say(ben, phone, 'call me')
  const { members } = await gus.succeed('GET /users', { include_custom_profile_fields: true })
  const outsider = await say(gus, mentor, [ben.id])
  const before = await profileEventsFor(chat, gus)
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: design.name }], principals: [gus.id] })

  assert.equal(JSON.stringify(members).includes('call me'), false)
  assert.deepEqual(outsider, refusalResponse(`Invalid user ID: ${ben.id}`))
  assert.deepEqual(before, [])
  const addedUsers = (await chat.eventsOf(gus)).filter(({ type, op }) => type === 'realm_user' && op === 'add')
  const people = addedUsers.map(({ person }) => person as { user_id: number; profile_data: unknown })
  const profile = { [phone]: { value: 'call me', rendered_value: '<p>call me</p>' } }
  assert.deepEqual(people.find(({ user_id }) => user_id === ben.id)?.profile_data, profile)
  assert.equal((await say(gus, mentor, [ben.id])).result, 'success')
})

test('bots have no profile values', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const helper = await chat.user('helper', { botType: 1, owner: ada })
  const phone = await add(ada, 'Phone', FieldType.shortText)

  const response = await say(helper, phone, '12')

  assert.deepEqual(response, refusalResponse('This endpoint does not accept bot requests.'))
})

test('removing a field while a value is saved leaves nothing behind', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')

  for (let round = 0; round < 4; round += 1) {
    const id = await add(ada, 'Phone', FieldType.shortText)
    const [saved, removed] = await Promise.all([say(ben, id, '12'), ada.call(`DELETE /realm/profile_fields/${id}`)])

    assert.equal(removed.result, 'success')
    if (saved.result === 'error') assert.deepEqual(saved, refusalResponse(`Field id ${id} not found.`))
    assert.deepEqual(await profileOf(ada, ben), {})
  }
})
