import assert from 'node:assert/strict'
import test from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from '../../test/harness.ts'

const make = (person: Person, names: readonly string[], params: Record<string, unknown> = {}) =>
  person.call('POST /users/me/subscriptions', { subscriptions: names.map((name) => ({ name })), ...params })

const names = (count: number, prefix = 'channel') => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

test('a request creates at most 100 channels', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const more = await make(ada, names(101))
  const most = await make(ada, names(100))
  const further = await make(ada, [...names(100), 'one more'])

  const msg = 'You cannot create more than 100 channels at once. Create fewer channels.'
  assert.deepEqual([more.status, more.msg], [400, msg])
  assert.deepEqual([most.status, further.status], [200, 200])
  assert.equal((await ada.succeed('GET /streams'))['streams'].length, 101)
})

test('a user and their bots can create as many channels in 24 hours as the server allows', async () => {
  const chat = await startChat({ settings: { NEW_CHANNELS_PER_DAY: 3 } })
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  await make(ben, names(2))

  const tooMany = await make(bot, names(2, 'bot'))
  const last = await make(bot, names(1, 'bot'))
  const further = await ben.call('PATCH /users/me/subscriptions', { add: [{ name: 'further' }] })
  const ofAdministrator = await make(ada, names(4, 'administration'))
  await chat.clock.advance(86_400)
  const nextDay = await make(ben, ['further'])

  const msg = 'You cannot create more than 3 channels in 24 hours. Try again later, or ask an administrator.'
  assert.deepEqual([tooMany.status, tooMany.msg, further.msg], [400, msg, msg])
  assert.deepEqual([last.status, ofAdministrator.status, nextDay.status], [200, 200, 200])
})

test('a request that would add too many subscriptions is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const people: Person[] = []
  for (let count = 0; count < 101; count += 1) people.push(await chat.user(`person${count}`))

  const response = await make(ada, names(1000), { principals: people.map(({ id }) => id) })

  const msg = 'You cannot add more than 100000 subscriptions at once. Choose fewer people or channels.'
  assert.deepEqual([response.status, response.msg], [400, msg])
})

test('a permission names at most 100 users and groups', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ids = (count: number) => Array<number>(count).fill(ada.id)
  const give = (name: string, members: number) =>
    make(ada, [name], { can_send_message_group: { direct_members: ids(members), direct_subgroups: [] } })

  const [most, more] = [await give('one', 100), await give('another', 101)]

  const msg = "'can_send_message_group' setting can name at most 100 users and groups. Use a user group instead."
  assert.deepEqual([most.status, more.status, more.msg], [200, 400, msg])
})

test('the descriptions of the channels that a member creates in 24 hours have a total limit', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  const describe = (person: Person, prefix: string, count: number) =>
    person.call('POST /users/me/subscriptions', {
      subscriptions: names(count, prefix).map((name) => ({ name, description: '&'.repeat(1024) })),
    })
  for (let turn = 0; turn < 2; turn += 1) assert.equal((await describe(ben, `${turn}`, 80)).status, 200)

  const further = await describe(ben, 'further', 20)
  const short = await make(ben, names(20, 'short'))
  const changes: (string | undefined)[] = []
  for (const stream of names(7, 'short')) {
    const { stream_id } = await ben.succeed('GET /get_stream_id', { stream })
    changes.push((await ben.call(`PATCH /streams/${stream_id}`, { description: '&'.repeat(1024) })).msg)
  }
  const ofAdministrator = await describe(ada, 'administration', 20)

  const msg =
    'The descriptions and permissions of your new channels are too long in total (limit: 1000000 bytes in 24 hours).'
  assert.deepEqual([further.status, further.msg, short.status, ofAdministrator.status], [400, msg, 200, 200])
  assert.ok(changes.includes(msg))
})

test('the channels that a member creates on all days have a total limit, above which they can be shortened', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  const description = '&'.repeat(1024)
  const describe = (person: Person, prefix: string, count: number) =>
    person.call('POST /users/me/subscriptions', {
      subscriptions: names(count, prefix).map((name) => ({ name, description })),
    })
  const change = async (stream: string, description: string) => {
    const { stream_id } = await ben.succeed('GET /get_stream_id', { stream })
    return ben.call(`PATCH /streams/${stream_id}`, { description })
  }
  for (const prefix of ['first', 'second']) assert.equal((await describe(ben, prefix, 80)).status, 200)
  await make(ben, ['empty'])
  await chat.clock.advance(86_401)
  assert.equal((await describe(ben, 'third', 80)).status, 200)
  await chat.clock.advance(86_401)

  const further = await describe(bot, 'fourth', 80)
  const filled = await describe(bot, 'fifth', 39)
  const longer = await change('empty', description)
  const shorter = await change('first 0', 'Short')

  assert.match(further.msg, /^The channels that you created are too large .*Shorten their descriptions/)
  assert.deepEqual([further.status, filled.status, longer.msg, shorter.status], [400, 200, further.msg, 200])
})

test('a description with very long HTML stays plain text', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const description = `${'👍'.repeat(1000)} & **bold**`
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'emoji', description }] })

  const { stream_id } = await ada.succeed('GET /get_stream_id', { stream: 'emoji' })
  const { stream } = await ada.succeed(`GET /streams/${stream_id}`)

  assert.equal(stream.description, description)
  assert.equal(stream.rendered_description, `<p>${'👍'.repeat(1000)} &amp; **bold**</p>`)
})
