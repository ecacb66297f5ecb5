import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

test('default channels can be added and removed, and members receive the new list', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const [one, two] = [await chat.channel('one', []), await chat.channel('two', [])]

  for (const { id } of [two, one, one]) await ada.succeed('POST /default_streams', { stream_id: id })
  for (const { id } of [two, two]) await ada.succeed('DELETE /default_streams', { stream_id: id })

  const { streams } = await ben.succeed('GET /streams', { include_default: true })
  assert.deepEqual(
    streams.map((stream: { name: string; is_default: boolean }) => [stream.name, stream.is_default]),
    [
      ['one', true],
      ['two', false],
    ],
  )
  assert.deepEqual(
    (await chat.eventsOf(ben)).map((event) => event['default_streams']),
    [[two.id], [one.id, two.id], [one.id]],
  )
  assert.deepEqual(await chat.eventsOf(gus), [])
})

test('private and archived channels cannot be default channels, and only administrators can choose them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const secret = await chat.channel('secret', [], { isPrivate: true })
  const old = await chat.channel('old', [])
  await ada.succeed(`DELETE /streams/${old.id}`)
  const set = (person: typeof ada, id: unknown) => person.call('POST /default_streams', { stream_id: id })

  assert.deepEqual(await set(ada, secret.id), refusalResponse('Private channels cannot be made default.'))
  assert.deepEqual(await set(ada, old.id), refusalResponse('Invalid channel ID'))
  assert.deepEqual(await set(ada, 999_999), refusalResponse('Invalid channel ID'))
  assert.deepEqual(
    await set(ben, 999_999),
    refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
  )
})
