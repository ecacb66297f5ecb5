import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))

/** Returns the channel with this name as the user sees it. */
async function channelOf(person: Person, name: string): Promise<Record<string, unknown>> {
  const { streams } = await person.succeed('GET /streams', { include_all: true, include_default: true })
  return streams.find((stream: { name: string }) => stream.name === name)
}

suite('joining and leaving in one request', () => {
  const CHANGE = 'PATCH /users/me/subscriptions'

  test('joins and leaves channels', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])
    await chat.channel('sales', [])

    const response = await ben.call(CHANGE, { add: [{ name: 'sales' }], delete: ['design', 'sales'] })

    assert.partialDeepStrictEqual(response, {
      subscribed: { [ben.id]: ['sales'] },
      already_subscribed: {},
      removed: ['design', 'sales'],
      not_removed: [],
    })
  })

  test('changes nothing if one half is refused', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('sales', [])

    const response = await ben.call(CHANGE, { add: [{ name: 'sales' }, { name: 'new' }], delete: ['nope'] })

    assert.partialDeepStrictEqual(response, { status: 400, code: 'STREAM_DOES_NOT_EXIST', stream: 'nope' })
    assert.deepEqual((await ben.succeed('GET /users/me/subscriptions'))['subscriptions'], [])
    assert.equal(await channelOf(ben, 'new'), undefined)
    assert.deepEqual(await chat.eventsOf(ben), [])
  })

  test('needs at least one channel, and guests can only leave', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    await chat.channel('design', [gus])

    assert.deepEqual(
      await gus.call(CHANGE),
      refusalResponse('Nothing to do. Specify at least one of "add" or "delete".'),
    )
    assert.deepEqual(await gus.call(CHANGE, { add: named('design') }), refusalResponse('Not allowed for guest users'))
    assert.partialDeepStrictEqual(await gus.call(CHANGE, { delete: ['design'] }), { removed: ['design'] })
  })
})
