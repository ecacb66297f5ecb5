import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { mobileApp, terminalStateTypes } from '../../test/clients/requests.ts'
import { type Body, type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { noReferenceSchemas } from '../../test/reference/document.ts'
import { flutterProblems, noFlutterContract } from '../../test/reference/flutter.ts'
import { differencesFromReference } from '../../test/reference/response-differences.ts'

/** The parameters with which the terminal client registers. */
const terminalClient = {
  event_types: [
    'message',
    'update_message',
    'reaction',
    'submessage',
    'subscription',
    'typing',
    'update_message_flags',
    'user_settings',
    'realm_emoji',
    'realm_user',
  ],
  fetch_event_types: terminalStateTypes,
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: true,
}

/** Creates an organization with data in every field of the state. */
async function fullOrganization(): Promise<{ chat: Chat; ada: Person; gus: Person }> {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo', { settings: { email_address_visibility: 4 } })]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.user('helper', { botType: 1, owner: ada })
  await chat.user('gone', { owner: ada }).then((gone) => ada.succeed(`DELETE /users/${gone.id}`))
  const design = await chat.channel('design', [ada, ben, gus])
  await chat.channel('secrets', [cleo], { isPrivate: true, isHistoryShared: false })
  const left = await chat.channel('left', [ada, ben])
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: [left.name] })
  await ada.succeed(`DELETE /streams/${left.id}`)
  const members = [ada.id, ben.id]
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members })
  await ada.succeed('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' })
  const { id } = await ada.succeed('POST /realm/profile_fields', { name: 'Phone', field_type: 1 })
  await ada.succeed('PATCH /users/me/profile_data', { data: [{ id, value: '**12**' }] })
  const site = { name: 'Try it', pygments_language: 'Python', url_template: 'https://example.com/{code}' }
  await ada.succeed('POST /realm/playgrounds', site)
  await ada.succeed('POST /realm/domains', { domain: 'example.com', allow_subdomains: false })
  await sendToChannel(ben, design, '@**Ada** and @**all**', '')
  await ada.succeed('POST /messages/flags', { messages: [await sendDirect(ben, [ada])], op: 'add', flag: 'starred' })
  await sendDirect(ben, [ada, cleo])
  await sendDirect(ada, [ada])
  await ben.succeed('POST /users/me/status', { status_text: 'out', emoji_name: 'tea' })
  await ada.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await ada.succeed('POST /user_topics', { stream_id: design.id, topic: '', visibility_policy: 1 })
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await ben.succeed('POST /users/me/presence', { status: 'idle' })
  return { chat, ada, gus }
}

const answerOf = ({ status: _, ...answer }: Body) => answer

test('the response matches the reference server', { skip: noReferenceSchemas }, async () => {
  const { chat, ada, gus } = await fullOrganization()
  const everything = { archived_channels: true, include_deactivated_groups: true, linkifier_url_template: true }

  for (const person of [ada, gus]) {
    for (const form of [
      {},
      mobileApp,
      terminalClient,
      { client_capabilities: everything, include_subscribers: true },
    ]) {
      const answer = answerOf(await person.succeed('POST /register', form))
      assert.deepEqual(differencesFromReference('POST /register', answer), [])
    }
  }
  await chat.change({ can_access_all_users_group: 'role:members' })
  const limited = answerOf(await gus.succeed('POST /register'))
  assert.deepEqual(differencesFromReference('POST /register', limited), [])
})

test('the decoders of the mobile app accept the state', { skip: noFlutterContract }, async () => {
  const { chat, ada, gus } = await fullOrganization()

  assert.deepEqual(flutterProblems('InitialSnapshot', await ada.succeed('POST /register', mobileApp)), [])
  await chat.change({ can_access_all_users_group: 'role:members' })
  assert.deepEqual(flutterProblems('InitialSnapshot', await gus.succeed('POST /register', mobileApp)), [])
})

/** Returns the fields that a client requires according to the table of client needs. */
function neededFields(column: 'FL' | 'ZT'): string[] {
  const file = path.resolve(import.meta.dirname, '../../../shared/clients.md')
  const [, section = ''] = readFileSync(file, 'utf8').split('## 5. POST /register')
  const rows = section
    .split('### 5.1')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => {
    const [, names = '', mobile = '', terminal = ''] = row.split('|').map((cell) => cell.trim())
    const need = column === 'FL' ? mobile : terminal
    return /^(popup )?R/.test(need) ? Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name) : []
  })
}

test('the state has every field that clients need', { skip: noReferenceSchemas }, async () => {
  const { ada } = await fullOrganization()

  const toApp = await ada.succeed('POST /register', mobileApp)
  const toTerminal = await ada.succeed('POST /register', terminalClient)

  assert.ok(neededFields('FL').length > 30)
  assert.deepEqual(
    neededFields('FL').filter((name) => toApp[name] === undefined || toApp[name] === null),
    [],
  )
  assert.ok(neededFields('ZT').length > 20)
  assert.deepEqual(
    neededFields('ZT').filter((name) => toTerminal[name] === undefined),
    [],
  )
})
