import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { allEvents } from '#events/catalogue.ts'
import { endpoint } from '#http/endpoint.ts'
import { int64 } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { referencePage } from './reference.ts'

const greet = endpoint({
  route: 'POST /people/{name}/greet',
  summary: 'Greet a user',
  description: 'Says <hello>; with `loud`, louder.',
  who: 'human',
  path: { name: z.string().describe('Who.') },
  params: { times: int64, loud: z.boolean().default(false).describe('Whether to shout.') },
  returns: { words: z.array(z.string()).describe('What was `said`.'), echo: z.string().optional() },
  refuses: [refusal('BAD_REQUEST', 400, 'No user is called {name}')],
  handle: () => ({ words: [] }),
})

const rows = (table: string) =>
  [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => row.replaceAll(/<\/?t[hd][^>]*>\n?/g, '|').trim())

test('the page lists the parameters, the response and the refusals of an endpoint', () => {
  const page = referencePage([greet])

  const [, parameters = '', response = ''] = page.split('<caption>')
  assert.deepEqual(rows(parameters), [
    '|<code>name</code> (required)||<code>string</code>||Who.|',
    '|<code>times</code> (required)||<code>integer</code>|||',
    '|<code>loud</code>||<code>boolean</code>||Whether to shout. Default: <code>false</code>.|',
  ])
  assert.deepEqual(rows(response.split('</table>')[0] ?? ''), [
    '|<code>words</code>||<code>list of string</code>||What was <code>said</code>.|',
    '|<code>echo</code> (optional)||<code>string</code>|||',
  ])
  assert.ok(page.includes('<p>Says &lt;hello&gt;; with <code>loud</code>, louder. For people, not bots.</p>'))
  assert.ok(page.includes('<td>No user is called {name}</td>'))
})

test('the page documents every event with an example', () => {
  const page = referencePage([])

  for (const { kind } of allEvents) assert.ok(page.includes(`<h3 id="event-${kind.replace('/', '-')}">`), kind)
  assert.ok(page.includes('<p>Sent to: Users who can see the channels.</p>'))
  assert.ok(page.includes('&quot;op&quot;: &quot;create&quot;'))
  const [, heartbeat = '', message = ''] = page.split('<h3 id=')
  assert.ok(!heartbeat.includes('<caption>Fields</caption>'))
  assert.ok(rows(message).some((row) => row.startsWith('|<code>flags</code>||<code>list of string</code>|')))
})

test('a call that deletes or deactivates something is marked, and each parameter says how it is sent', () => {
  const remove = endpoint({ route: 'DELETE /people/{id}', summary: 'Remove', who: 'human', handle: () => ({}) })
  const page = referencePage([greet, remove])

  const [, first = '', second = ''] = page.split('<section ')
  assert.ok(first.startsWith('data-call="POST /people/{name}/greet" data-who="human">'))
  assert.ok(second.startsWith('data-call="DELETE /people/{id}" data-who="human" data-danger>'))
  for (const parameter of [
    'data-name="name" data-place="path" data-kind="text" data-required',
    'data-name="times" data-place="params" data-kind="number" data-required',
    'data-name="loud" data-place="params" data-kind="json" data-options="[true,false]"',
  ])
    assert.ok(first.includes(`<tr ${parameter}>`), parameter)
})
