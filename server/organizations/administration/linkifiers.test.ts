import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'

const ticket = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://tickets.example/{id}' }
const page = { pattern: 'p(?P<page>[0-9]+)', url_template: 'https://pages.example/{page}' }

async function add(person: Person, rule: typeof ticket): Promise<number> {
  return (await person.succeed('POST /realm/filters', rule))['id']
}

test('linkifiers are added, changed, reordered and removed, and everyone gets the events', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })

  const first = await add(ann, ticket)
  const second = await add(ann, page)
  await ann.succeed('PATCH /realm/linkifiers', { ordered_linkifier_ids: [second, first] })
  await ann.succeed(`PATCH /realm/filters/${second}`, { ...page, url_template: 'https://pages.example/p/{page}' })
  const listed = await gus.succeed('GET /realm/linkifiers')
  await ann.succeed(`DELETE /realm/filters/${second}`)
  const third = await add(ann, page)

  const changed = { id: second, pattern: page.pattern, url_template: 'https://pages.example/p/{page}' }
  assert.deepEqual(listed['linkifiers'], [changed, { id: first, ...ticket }])
  assert.deepEqual(
    (await chat.eventsOf(gus)).map((event) => event['realm_linkifiers']),
    [
      [{ id: first, ...ticket }],
      [
        { id: first, ...ticket },
        { id: second, ...page },
      ],
      [
        { id: second, ...page },
        { id: first, ...ticket },
      ],
      [changed, { id: first, ...ticket }],
      [{ id: first, ...ticket }],
      [
        { id: first, ...ticket },
        { id: third, ...page },
      ],
    ],
  )
})

test('an invalid linkifier is refused with the reason', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  await add(ann, ticket)
  const refusals: [Partial<typeof ticket>, string | RegExp][] = [
    [{ pattern: '(?P<id>[0-9]+' }, /^Bad regular expression: /],
    [{ pattern: '(?<=x)(?P<id>y)' }, /^Bad regular expression: /],
    [{ pattern: 'x(?P<other>y)' }, "Group 'id' in URL template is not present in linkifier pattern."],
    [{ pattern: 'x', url_template: 'https://x.example/{' }, 'Invalid URL template.'],
    [{ url_template: 'javascript:{id}' }, 'Invalid URL template.'],
    [{ url_template: 'data:text/html,{id}' }, 'Invalid URL template.'],
    [{}, 'A linkifier with this pattern already exists.'],
    [{ pattern: '', url_template: 'https://x.example/' }, 'pattern cannot be blank'],
    [{ pattern: 'x'.repeat(1001) }, 'pattern is too long (limit: 1000 characters)'],
  ]

  for (const [rule, reason] of refusals) {
    const refused = await ann.call('POST /realm/filters', { ...ticket, ...rule })
    assert.equal(refused.status, 400)
    if (typeof reason === 'string') assert.equal(refused.msg, reason)
    else assert.match(refused.msg, reason)
  }
  const listed = await ann.succeed('GET /realm/linkifiers')
  assert.equal(listed['linkifiers'].length, 1)
})

test('an order must contain every linkifier once', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const [first, second] = [await add(ann, ticket), await add(ann, page)]
  const order = (ids: number[]) => ann.call('PATCH /realm/linkifiers', { ordered_linkifier_ids: ids })

  for (const ids of [[], [first], [first, first], [first, second, second], [first, 999]])
    assert.equal((await order(ids)).msg, 'The ordered list must enumerate all existing linkifiers exactly once')
})

test('only administrators can change linkifiers, and only those of their organization', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const ben = await chat.user('ben')
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  const id = await add(ann, ticket)
  const calls: [string, Record<string, unknown>][] = [
    ['POST /realm/filters', page],
    [`PATCH /realm/filters/${id}`, page],
    [`DELETE /realm/filters/${id}`, {}],
    ['PATCH /realm/linkifiers', { ordered_linkifier_ids: [id] }],
  ]

  for (const [route, params] of calls)
    assert.equal((await ben.call(route, params)).msg, 'Must be an organization administrator')
  const changed = await eve.call(`PATCH /realm/filters/${id}`, page)
  const removed = await eve.call(`DELETE /realm/filters/${id}`)

  assert.equal(changed.msg, 'Linkifier not found.')
  assert.equal(removed.msg, 'Linkifier not found.')
})
