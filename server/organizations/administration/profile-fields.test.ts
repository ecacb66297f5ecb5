import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldType } from '#people/profile-fields.ts'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../../test/harness.ts'

const editors = { vim: { text: 'Vim', order: '1' }, emacs: { text: 'Emacs', order: '2' } }
const reddit = { subtype: 'custom', url_pattern: 'https://www.reddit.com/user/%(username)s' }

async function add(person: Person, name: string, field_type: number, more: Record<string, unknown> = {}) {
  const { id } = await person.succeed('POST /realm/profile_fields', { name, field_type, ...more })
  return id as number
}

const fieldsOf = async (person: Person) => (await person.succeed('GET /realm/profile_fields'))['custom_fields']

async function fieldEventsFor(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter(({ type }) => type === 'custom_profile_fields')
}

test('fields of every type are added, and everyone sees them and gets the events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })

  const phone = await add(ada, ' Phone ', FieldType.shortText, {
    hint: 'Work',
    required: true,
    editable_by_user: false,
  })
  const life = await add(ada, 'Biography', FieldType.longText)
  const editor = await add(ada, 'Editor', FieldType.choice, { field_data: editors, display_in_profile_summary: true })
  const birthday = await add(ada, 'Birthday', FieldType.date)
  const site = await add(ada, 'Site', FieldType.link)
  const mentor = await add(ada, 'Mentor', FieldType.people, { field_data: editors })
  const github = await add(ada, 'ignored', FieldType.externalAccount, { field_data: { subtype: 'github' } })
  const forum = await add(ada, 'Reddit', FieldType.externalAccount, { field_data: reddit })
  const pronouns = await add(ada, 'Pronouns', FieldType.pronouns)

  const plain = { hint: '', field_data: '', required: false, editable_by_user: true }
  const fields = [
    {
      id: phone,
      name: 'Phone',
      type: 1,
      ...plain,
      hint: 'Work',
      order: phone,
      required: true,
      editable_by_user: false,
    },
    { id: life, name: 'Biography', type: 2, ...plain, order: life },
    {
      id: editor,
      name: 'Editor',
      type: 3,
      ...plain,
      field_data: JSON.stringify(editors),
      order: editor,
      display_in_profile_summary: true,
    },
    { id: birthday, name: 'Birthday', type: 4, ...plain, order: birthday },
    { id: site, name: 'Site', type: 5, ...plain, order: site },
    { id: mentor, name: 'Mentor', type: 6, ...plain, order: mentor },
    { id: github, name: 'GitHub username', type: 7, ...plain, field_data: '{"subtype":"github"}', order: github },
    { id: forum, name: 'Reddit', type: 7, ...plain, field_data: JSON.stringify(reddit), order: forum },
    { id: pronouns, name: 'Pronouns', type: 8, ...plain, order: pronouns },
  ]
  assert.deepEqual(await fieldsOf(gus), fields)
  const events = await fieldEventsFor(chat, gus)
  assert.equal(events.length, 9)
  assert.deepEqual(events.at(-1), { type: 'custom_profile_fields', fields })
})

test('register returns the fields, their types and the known sites for external accounts', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const id = await add(ada, 'Phone', FieldType.shortText)

  const state = await ada.succeed('POST /register', { fetch_event_types: ['custom_profile_fields', 'realm'] })

  assert.deepEqual(state['custom_profile_fields'], await fieldsOf(ada))
  assert.equal(state['custom_profile_fields'][0].id, id)
  assert.deepEqual(state['custom_profile_field_types'].SELECT, { id: 3, name: 'List of options' })
  assert.equal(Object.keys(state['custom_profile_field_types']).length, 8)
  assert.equal(state['realm_default_external_accounts'].github.url_pattern, 'https://github.com/%(username)s')
})

test('a field is changed, moved and removed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const [phone, site] = [await add(ada, 'Phone', FieldType.shortText), await add(ada, 'Site', FieldType.link)]

  const changes = { name: 'Telephone', hint: 'At home', required: true, display_in_profile_summary: true }
  await ada.succeed(`PATCH /realm/profile_fields/${phone}`, changes)
  await ada.succeed(`PATCH /realm/profile_fields/${phone}`, { editable_by_user: false })
  await ada.succeed('PATCH /realm/profile_fields', { order: [site, phone, 99_999] })
  const changed = await fieldsOf(ada)
  await ada.succeed(`DELETE /realm/profile_fields/${site}`)

  assert.deepEqual(
    changed.map(({ name, order }: { name: string; order: number }) => [name, order]),
    [
      ['Site', 0],
      ['Telephone', 1],
    ],
  )
  assert.partialDeepStrictEqual(changed[1], { ...changes, editable_by_user: false })
  const events = (await fieldEventsFor(chat, ben)).map(({ fields }) =>
    (fields as { name: string }[]).map(({ name }) => name),
  )
  assert.deepEqual(events.slice(-3), [['Telephone', 'Site'], ['Site', 'Telephone'], ['Telephone']])
})

test('an order must contain every field', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [phone] = [await add(ada, 'Phone', FieldType.shortText), await add(ada, 'Site', FieldType.link)]

  assert.deepEqual(
    await ada.call('PATCH /realm/profile_fields', { order: [phone] }),
    refusalResponse('Invalid order mapping.'),
  )
})

test('invalid fields are refused, and nothing is added', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await add(ada, 'Phone', FieldType.shortText)
  const field = (field_type: number, name: string, more: Record<string, unknown> = {}) => ({
    field_type,
    name,
    ...more,
  })
  const choice = (field_data: unknown) => field(3, 'Editor', { field_data })
  const account = (field_data: unknown) => field(7, 'Account', { field_data })
  const refusals: [Record<string, unknown>, string][] = [
    [field(1, ' '), 'Label cannot be blank.'],
    [field(1, 'x'.repeat(41)), 'name is too long (limit: 40 characters)'],
    [field(1, 'x', { hint: 'x'.repeat(81) }), 'hint is too long (limit: 80 characters)'],
    [field(1, 'Phone'), 'A field with that label already exists.'],
    [field(9, 'x'), 'Invalid field type.'],
    [field(2, 'x', { display_in_profile_summary: true }), 'Field type not supported for display in profile summary.'],
    [field(6, 'x', { display_in_profile_summary: true }), 'Field type not supported for display in profile summary.'],
    [choice({}), 'Field must have at least one choice.'],
    [choice({ ' ': editors.vim }), "'value' cannot be blank."],
    [choice({ vim: 'Vim' }), 'field_data is not a dict'],
    [choice({ vim: { text: 'Vim' } }), 'order key is missing from field_data'],
    [choice({ vim: { text: '', order: '1' } }), 'field_data["text"] cannot be blank.'],
    [choice({ vim: { ...editors.vim, more: 'x' } }), 'Unexpected arguments: more'],
    [choice({ vim: editors.vim, vi: editors.vim }), 'Field must not have duplicate choices.'],
    [account({}), 'subtype key is missing from field_data'],
    [account({ subtype: 'nowhere' }), 'Invalid external account type'],
    [account({ subtype: 'constructor' }), 'Invalid external account type'],
    [account({ subtype: 'custom' }), 'Custom external account must define URL pattern'],
    [account({ ...reddit, url_pattern: 'https://x.com/' }), "URL pattern must contain '%(username)s'."],
    [account({ ...reddit, url_pattern: 'javascript:%(username)s' }), 'field_data["url_pattern"] is not a URL'],
  ]

  for (const [given, msg] of refusals)
    assert.deepEqual(await ada.call('POST /realm/profile_fields', given), refusalResponse(msg), JSON.stringify(given))
  assert.equal((await fieldsOf(ada)).length, 1)
})

test('the number of choices and the length of their texts are limited', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const choices = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, { text: `Text ${at}`, order: '1' }]))
  const give = (field_data: object) =>
    ada.call('POST /realm/profile_fields', { name: 'Editor', field_type: FieldType.choice, field_data })
  const long = 'x'.repeat(101)
  const tooLong = refusalResponse('field_data is too long (limit: 100 characters in a text)')

  assert.deepEqual(await give(choices(201)), refusalResponse('Field can have at most 200 choices.'))
  assert.deepEqual(await give({ [long]: { text: 'Vim', order: '1' } }), tooLong)
  assert.deepEqual(await give({ vim: { text: long, order: '1' } }), tooLong)
  assert.deepEqual(await give({ vim: { text: 'Vim', order: long } }), tooLong)
  assert.equal((await give(choices(200))).result, 'success')
})

test('the profile summary has room for two fields', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const visible = { display_in_profile_summary: true }
  const first = await add(ada, 'a', FieldType.shortText, visible)
  await add(ada, 'b', FieldType.shortText, visible)
  const third = await add(ada, 'c', FieldType.shortText)
  const full = refusalResponse('Only 2 custom profile fields can be displayed in the profile summary.')

  const added = await ada.call('POST /realm/profile_fields', { name: 'd', field_type: 1, ...visible })
  const changed = await ada.call(`PATCH /realm/profile_fields/${third}`, visible)
  await ada.succeed(`PATCH /realm/profile_fields/${first}`, visible)
  await ada.succeed(`PATCH /realm/profile_fields/${first}`, { display_in_profile_summary: false })

  assert.deepEqual([added, changed], [full, full])
  await ada.succeed(`PATCH /realm/profile_fields/${third}`, visible)
})

test('a field for a known site keeps its name, but its visibility in the summary can be changed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const id = await add(ada, '', FieldType.externalAccount, { field_data: { subtype: 'github' } })
  const change = (changes: Record<string, unknown>) => ada.call(`PATCH /realm/profile_fields/${id}`, changes)

  const fixed = refusalResponse('Default custom field cannot be updated.')
  assert.deepEqual(await change({ name: 'Mine' }), fixed)
  assert.deepEqual(await change({ hint: 'Mine' }), fixed)
  assert.deepEqual(await change({ field_data: reddit }), fixed)
  const same = { name: 'GitHub username', hint: '', field_data: { subtype: 'github' } }
  assert.equal((await change({ ...same, display_in_profile_summary: true })).result, 'success')
})

test('only administrators can change fields, and only those of their organization', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const mod = await chat.user('mod', { role: Role.moderator })
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  const id = await add(ada, 'Phone', FieldType.shortText)
  const calls: [string, Record<string, unknown>][] = [
    ['POST /realm/profile_fields', { name: 'x', field_type: 1 }],
    ['PATCH /realm/profile_fields', { order: [id] }],
    [`PATCH /realm/profile_fields/${id}`, { name: 'x' }],
    [`DELETE /realm/profile_fields/${id}`, {}],
  ]

  for (const [route, params] of calls)
    assert.deepEqual(
      await mod.call(route, params),
      refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
    )
  const notFound = refusalResponse(`Field id ${id} not found.`)
  assert.deepEqual(await eve.call(`PATCH /realm/profile_fields/${id}`, { name: 'x' }), notFound)
  assert.deepEqual(await eve.call(`DELETE /realm/profile_fields/${id}`), notFound)
  assert.deepEqual(await fieldsOf(eve), [])
})
