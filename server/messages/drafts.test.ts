import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { START, startChat } from '../../test/harness.ts'

const draft = { type: '', to: [] as number[], topic: '', content: 'hm' }

test('drafts are saved, edited and deleted, and only their author receives events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const design = await chat.channel('design', [ben])
  const inChannel = { type: 'stream', to: [design.id], topic: ' tea ', content: 'hello \n', timestamp: START - 10 }

  const { ids } = await ben.succeed('POST /drafts', {
    drafts: [inChannel, { ...draft, type: 'private', to: [cleo.id, ben.id], topic: 'no' }, draft],
  })
  const listed = await ben.succeed('GET /drafts')
  await ben.succeed(`PATCH /drafts/${ids[2]}`, { draft: { ...draft, type: 'private', to: [], content: 'oh' } })
  await ben.succeed(`DELETE /drafts/${ids[1]}`)
  const remaining = await ben.succeed('GET /drafts')

  const first = { ...inChannel, id: ids[0], topic: 'tea', content: 'hello', timestamp: START - 10 }
  const second = { ...draft, id: ids[1], type: 'private', to: [cleo.id], timestamp: START }
  const third = { ...draft, id: ids[2], timestamp: START }
  assert.deepEqual(listed['drafts'], [first, second, third])
  assert.equal(listed['count'], 3)
  assert.deepEqual(remaining['drafts'], [first, { ...third, content: 'oh' }])
  assert.deepEqual(await chat.eventsOf(ben), [
    { type: 'drafts', op: 'add', drafts: [first, second, third] },
    { type: 'drafts', op: 'update', draft: { ...third, content: 'oh' } },
    { type: 'drafts', op: 'remove', draft_id: ids[1] },
  ])
  assert.deepEqual(await chat.eventsOf(cleo), [])
  assert.deepEqual((await cleo.succeed('GET /drafts'))['drafts'], [])
})

test('the time of a draft may have a fraction, or be null or zero', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const times = ['1795581787.424154700', '1795581788.0', 'null', '0', '-0.5', '1e300', '"1"']
  const save = (time: string) =>
    ben.call('POST /drafts', { drafts: `[{"type":"","to":[],"topic":"","content":"hm","timestamp":${time}}]` })

  const responses = []
  for (const time of times) responses.push((await save(time)).msg)
  const { ids } = await ben.succeed('POST /drafts', { drafts: [draft] })
  await ben.succeed(`PATCH /drafts/${ids[0]}`, { draft: { ...draft, timestamp: 1795581789.5 } })

  assert.deepEqual(responses, [
    '',
    '',
    '',
    '',
    'Timestamp must not be negative.',
    'drafts[0]["timestamp"] is too large',
    'drafts[0]["timestamp"] is not an integer',
  ])
  const { drafts } = await ben.succeed('GET /drafts')
  const timestamps = drafts.map(({ timestamp }: { timestamp: number }) => timestamp)
  assert.deepEqual(timestamps, [0, 1795581787, 1795581788, 1795581789, START])
})

test('drafts of another user do not exist for the caller', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const { ids } = await ben.succeed('POST /drafts', { drafts: [draft] })

  const notFound = { ...refusalResponse('Draft does not exist'), status: 404 }
  assert.deepEqual(await cleo.call(`PATCH /drafts/${ids[0]}`, { draft }), notFound)
  assert.deepEqual(await cleo.call(`DELETE /drafts/${ids[0]}`), notFound)
  assert.equal((await ben.succeed('GET /drafts'))['count'], 1)
})

test('several drafts are saved all or none', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const secret = await chat.channel('secret', [], { isPrivate: true })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const cases: [Partial<typeof draft> & { timestamp?: number }, string][] = [
    [{ content: ' ' }, 'Message must not be empty'],
    [{ timestamp: -1 }, 'Timestamp must not be negative.'],
    [{ type: 'stream' }, 'Must specify exactly 1 channel ID for channel messages'],
    [{ type: 'stream', to: [secret.id] }, 'Invalid channel ID'],
    [{ type: 'private', to: [ben.id] }, `Invalid user ID ${ben.id}`],
    [{ type: 'private', to: [9999] }, 'Invalid user ID 9999'],
  ]

  for (const [wrong, msg] of cases)
    assert.deepEqual(await gus.call('POST /drafts', { drafts: [draft, { ...draft, ...wrong }] }), refusalResponse(msg))

  assert.equal((await gus.succeed('GET /drafts'))['count'], 0)
})

test('users without draft synchronization have no drafts on the server', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben', { settings: { enable_drafts_synchronization: false } })

  const disabled = refusalResponse('User has disabled synchronizing drafts.')
  assert.deepEqual(await ben.call('GET /drafts'), disabled)
  assert.deepEqual(await ben.call('POST /drafts', { drafts: [draft] }), disabled)
  assert.deepEqual(await ben.call('PATCH /drafts/1', { draft }), disabled)
  assert.deepEqual(await ben.call('DELETE /drafts/1'), disabled)
})
