import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Person, startChat } from '../../../test/harness.ts'

const python = {
  name: 'Python playground',
  pygments_language: 'Python',
  url_template: 'https://python.example.com{?code}',
}
const rust = { name: 'Rust playground', pygments_language: 'Rust', url_template: 'https://rust.example.com/{code}' }

const stateOf = async (person: Person) =>
  (await person.succeed('POST /register', { fetch_event_types: ['realm_playgrounds'] }))['realm_playgrounds']

test('playgrounds are added and removed, and everyone gets the events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })

  const { id: first } = await ada.succeed('POST /realm/playgrounds', { ...python, name: ` ${python.name} ` })
  const { id: second } = await ada.succeed('POST /realm/playgrounds', rust)
  const both = await stateOf(gus)
  await ada.succeed(`DELETE /realm/playgrounds/${first}`)

  assert.deepEqual(both, [
    { id: first, ...python },
    { id: second, ...rust },
  ])
  assert.deepEqual(await stateOf(gus), [{ id: second, ...rust }])
  const event = { type: 'realm_playgrounds' }
  assert.deepEqual(await chat.eventsOf(gus), [
    { ...event, realm_playgrounds: [{ id: first, ...python }] },
    { ...event, realm_playgrounds: both },
    { ...event, realm_playgrounds: [{ id: second, ...rust }] },
  ])
})

test('an invalid playground is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await ada.succeed('POST /realm/playgrounds', python)
  const taken = 'Realm playground with this Realm, Pygments language and Name already exists.'
  const refusals: [Partial<typeof python>, string][] = [
    [{ name: ' ' }, 'name cannot be blank'],
    [{ pygments_language: 'x'.repeat(41) }, 'pygments_language is too long (limit: 40 characters)'],
    [{ pygments_language: 'a$b$c' }, 'Invalid characters in pygments language'],
    [{ url_template: 'https://x.com?test={test' }, 'Invalid URL template.'],
    [{ url_template: 'javascript:{code}' }, 'Invalid URL template.'],
    [{ url_template: '{+code}' }, 'Invalid URL template.'],
    [{ url_template: 'https://{code}' }, 'Invalid URL template.'],
    [{ url_template: 'https://x.com{?test}' }, 'Missing the required variable "code" in the URL template'],
    [{ url_template: 'https://x.com{?test,code}' }, '"code" should be the only variable present in the URL template'],
    [{}, taken],
  ]

  for (const [given, msg] of refusals)
    assert.deepEqual(await ada.call('POST /realm/playgrounds', { ...python, ...given }), refusalResponse(msg))
  await ada.succeed('POST /realm/playgrounds', { ...python, name: 'Another' })
})

test('only administrators can change playgrounds, and only those of their organization', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben', { role: Role.moderator })
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  const { id } = await ada.succeed('POST /realm/playgrounds', python)

  const mustBeAdministrator = refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL')
  assert.deepEqual(await ben.call('POST /realm/playgrounds', rust), mustBeAdministrator)
  assert.deepEqual(await ben.call(`DELETE /realm/playgrounds/${id}`), mustBeAdministrator)
  assert.deepEqual(await eve.call(`DELETE /realm/playgrounds/${id}`), refusalResponse('Invalid playground'))
  assert.deepEqual(await stateOf(eve), [])
})
