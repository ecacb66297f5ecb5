import assert from 'node:assert/strict'
import test from 'node:test'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { startChat } from '../harness.ts'
import { narrow } from './id-probes.ts'
import { createObjects } from './objects.ts'

type Request = (address: string, name: string) => [route: string, params?: Record<string, unknown>]

const naming: Request[] = [
  (address) => [`GET /users/${address}`],
  (address) => [`PATCH /users/${address}`, { full_name: 'Mine' }],
  (address) => [`GET /users/${address}/presence`],
  (address) => ['POST /messages', { type: 'direct', to: [address], content: 'hi' }],
  (address) => ['GET /messages', narrow('sender')(address as never)],
  (address) => ['GET /messages', narrow('dm')(address as never)],
  (address) => ['GET /messages', narrow('dm-including')(address as never)],
  (address) => ['DELETE /users/me/subscriptions', { subscriptions: [], principals: [address] }],
]

test('hidden addresses and names, and those of another organization, are answered like ones that never existed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  await createObjects(chat, eve, 'theirs')
  await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  await chat.channel('hidden', [], { isPrivate: true })
  const requests: Request[] = [
    ...naming,
    (_, name) => ['GET /get_stream_id', { stream: name }],
    (_, name) => ['DELETE /users/me/subscriptions', { subscriptions: [name] }],
    (_, name) => ['PATCH /users/me/subscriptions', { delete: [name] }],
    (_, name) => ['POST /messages', { type: 'channel', to: name, topic: 'tea', content: 'hi' }],
    (_, name) => ['GET /messages', narrow('channel')(name as never)],
    (_, name) => ['POST /messages/render', { content: `#**${name}** #**${name}>tea** @*${name}* :${name}:` }],
    (_, name) => ['PATCH /users/me/subscriptions/muted_topics', { stream: name, topic: 'tea', op: 'add' }],
    (_, name) => ['PATCH /users/me/subscriptions/muted_topics', { stream: name, topic: 'tea', op: 'remove' }],
    (_, name) => [`DELETE /realm/emoji/${name}`],
  ]

  for (const request of requests) {
    const ask = async (address: string, name: string) => {
      const answer = JSON.stringify(await ada.call(...request(address, name)))
      return answer.replaceAll(address, 'ADDRESS').replaceAll(name, 'NAME')
    }
    const never = await ask('never@example.com', 'never')
    for (const [address, name] of [
      ['eve@example.com', 'theirs'],
      ['hidden@example.com', 'hidden'],
    ] as const)
      assert.equal(await ask(address, name), never, `${request(address, name)[0]} with ${address} and ${name}`)
  }
})

test('addresses of users whom a guest may not see are answered like ones that never existed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const gus = await chat.user('gus', { role: Role.guest })
  const hidden = await chat.user('hidden-user')
  const ended = await chat.user('ended')
  await ada.succeed(`DELETE /users/${ended.id}`)
  await chat.change({ can_access_all_users_group: 'role:members' })

  for (const request of naming) {
    const ask = async (address: string) =>
      JSON.stringify(await gus.call(...request(address, ''))).replaceAll(address, 'ADDRESS')
    const never = await ask('never@example.com')
    for (const address of ['hidden-user@example.com', 'ended@example.com'])
      assert.equal(await ask(address), never, `${request(address, '')[0]} with ${address}`)
  }
  const members = (await gus.succeed('GET /users'))['members'] as { user_id: number; email: string }[]
  const placeholder = members.find(({ user_id }) => user_id === hidden.id)?.email
  const principals = [placeholder]
  const answer = await gus.call('DELETE /users/me/subscriptions', { subscriptions: [], principals })
  assert.equal(answer['msg'], 'Insufficient permission')
})
