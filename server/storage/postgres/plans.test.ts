import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { onPostgres } from '../../../test/database.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'
import { connectTo } from '../../../test/nodes/node-storage.ts'
import { recordStatements, type Statement } from '../../../test/record-statements.ts'
import { sized } from '../../../test/size.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** The number of messages. Each message has five rows in `userMessages`, and there are half as many events. */
const MESSAGES = sized(60_000, 200_000)
const CHANNELS = 40
const PEOPLE = 20

/** The tables that grow with the number of messages. */
const LARGE = new Set(['messages', 'userMessages', 'events', 'messageWords'])

/**
 * Creates an organization with users who are in all channels, and with many old messages. Nearly all messages are read.
 */
async function fillChat() {
  const chat = await startChat()
  const people: Person[] = []
  for (let at = 0; at < PEOPLE; at++) people.push(await chat.user(`person${at}`))
  const channels = []
  for (let at = 0; at < CHANNELS; at++) channels.push(await chat.channel(`channel ${at}`, people))
  await using client = await connectTo(chat.settings.DATABASE_URL)
  const [firstPerson, firstChannel] = [people[0]?.id, channels[0]?.id] as [number, number]
  const { id: realmId } = chat.realm
  await client.query(`
    insert into "messages" ("id", "realmId", "senderId", "channelId", "topic", "topicKey", "content", "renderedContent",
      "renderedVersion", "client", "sentAt")
    select at, ${realmId}, ${firstPerson} + at % ${PEOPLE}, ${firstChannel} + at * 7 % ${CHANNELS}, 'topic ' || at % 50,
      'topic ' || at % 50, 'hello', '<p>hello</p>', 0, 'test', 1893000000 from generate_series(1, ${MESSAGES}) at;
    insert into "messageWords" ("rowid", "words") select at, cast('hello:1' as tsvector) from generate_series(1, ${MESSAGES}) at;
    insert into "userMessages" ("userId", "messageId", "flags")
    select ${firstPerson} + person, at, case when at > ${MESSAGES} * 0.99 then 0 else 1 end
      from generate_series(1, ${MESSAGES}) at, generate_series(0, ${PEOPLE - 1}) person where (at + person) % 4 = 0;
    insert into "readMarks" ("channelId", "conversationId", "userId", "messageId")
    select ${firstChannel} + channel, 0, ${firstPerson} + person, ${Math.floor(MESSAGES * 0.99)}
      from generate_series(0, ${CHANNELS - 1}) channel, generate_series(0, ${PEOPLE - 1}) person;
    insert into "events" ("realmId", "id", "createdAt", "type", "payload", "audience")
    select ${realmId}, 1000000 + at, 1893000000, 'heartbeat', '{"type":"heartbeat"}', '[]'
      from generate_series(1, ${MESSAGES / 2}) at;
    insert into "counters" values ('message', ${MESSAGES}), ('words', ${MESSAGES}), ('event:${realmId}', ${1_000_000 + MESSAGES / 2})
      on conflict ("name") do update set "value" = excluded."value";
    analyze`)
  return { chat, people }
}

/** Sends the requests that clients send regularly. */
async function useChat([ada, ben, cleo]: readonly [Person, Person, Person]): Promise<void> {
  const channel = { name: 'channel 3' }
  const { queue_id, last_event_id } = await ada.succeed('POST /register')
  const sent = await sendToChannel(ada, channel, 'hello with _words_', 'topic 1')
  const direct = await sendDirect(ben, [ada, cleo])
  await sendToChannel(ben, { name: 'channel 5' }, 'hello', 'topic 1')
  await ada.succeed('GET /events', { queue_id, last_event_id, dont_block: true })

  const fetch = (narrow: unknown, anchor: unknown = 'newest', others: object = {}) =>
    ada.succeed('GET /messages', { anchor, num_before: 50, num_after: 50, narrow, ...others })
  for (const anchor of ['newest', 'oldest', 'first_unread', sent])
    for (const narrow of [
      [],
      [{ operator: 'channel', operand: channel.name }],
      [
        { operator: 'channel', operand: channel.name },
        { operator: 'topic', operand: 'topic 1' },
      ],
      [{ operator: 'dm', operand: [ben.id, cleo.id] }],
      [{ operator: 'is', operand: 'dm' }],
    ])
      await fetch(narrow, anchor)
  for (const [operator, operand] of [
    ['sender', ben.id],
    ['is', 'starred'],
    ['is', 'mentioned'],
    ['is', 'unread'],
    ['is', 'followed'],
    ['is', 'resolved'],
    ['has', 'link'],
    ['search', 'words'],
    ['with', sent],
    ['near', sent],
    ['dm-including', ben.id],
  ])
    await fetch([{ operator, operand }])
  await fetch([{ operator: 'sender', operand: ben.id, negated: true }])
  await ada.succeed(`GET /messages/${sent}`)
  await ada.succeed(`GET /messages/${sent}/history`)
  await ada.succeed(`GET /messages/${sent}/read_receipts`)
  await ada.succeed('GET /messages/matches_narrow', {
    msg_ids: [sent],
    narrow: [{ operator: 'search', operand: 'words' }],
  })

  await ada.succeed(`PATCH /messages/${sent}`, { content: 'changed' })
  await ada.succeed(`PATCH /messages/${sent}`, { topic: 'moved', propagate_mode: 'change_one' })
  await ada.succeed(`POST /messages/${sent}/reactions`, { emoji_name: 'tada' })
  await ada.succeed(`DELETE /messages/${sent}/reactions`, { emoji_name: 'tada' })
  await ada.succeed('POST /messages/flags', { messages: [sent, direct], op: 'add', flag: 'starred' })
  await ada.succeed('POST /messages/flags', { messages: [direct], op: 'remove', flag: 'read' })
  const narrow = [{ operator: 'channel', operand: channel.name }]
  const flag = { op: 'add', flag: 'read', narrow }
  await ada.succeed('POST /messages/flags/narrow', { anchor: 'newest', num_before: 50, num_after: 0, ...flag })
  await ben.succeed('POST /mark_stream_as_read', { stream_id: await channelId(ben, channel.name) })
  await ben.succeed('POST /mark_topic_as_read', {
    stream_id: await channelId(ben, 'channel 5'),
    topic_name: 'topic 1',
  })
  await ben.succeed('POST /mark_all_as_read')
  await ada.succeed(`GET /users/me/${await channelId(ada, channel.name)}/topics`)
  await ada.succeed('GET /streams')
  await ada.succeed('GET /users/me/subscriptions')
  await ada.succeed('GET /users')

  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: [channel.name, 'channel 4'] })
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }] })
  await ada.succeed('POST /users/me/presence', { status: 'active', last_update_id: -1 })
  await ada.succeed('POST /typing', { op: 'start', to: [ben.id] })
}

async function channelId(person: Person, name: string): Promise<number> {
  return (await person.succeed('GET /get_stream_id', { stream: name })).stream_id
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Total Cost': number
  Plans?: Plan[]
}

/** Returns the large tables that a plan reads completely, or by an index without a bound on its first column. */
function scansIn({ Plans = [], ...node }: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Cond': condition = '' } = node
  const isWhole =
    type === 'Seq Scan' || (node['Index Name'] === 'userMessages_pkey' && !condition.includes('"messageId"'))
  return [...(isWhole && LARGE.has(table) ? [table] : []), ...Plans.flatMap(scansIn)]
}

/** Returns the number of tables that a plan reads. */
const tablesIn = ({ Plans = [], ...node }: Plan): number =>
  Plans.reduce((sum, one) => sum + tablesIn(one), node['Relation Name'] === undefined ? 0 : 1)

/**
 * Returns the plans that PostgreSQL may use for the statement. The first one is the custom plan for its values. The
 * generic plan follows if it costs no more than planning each time; PostgreSQL uses it from the sixth execution on.
 */
async function plansOf(client: pg.Client, { text, values }: Statement): Promise<Plan[]> {
  const custom = await client.query({ text: `explain (format json) ${text}`, values: [...values] })
  const generic = await client.query(`explain (format json, generic_plan) ${text}`)
  const [forValues, forAll] = [custom, generic].map(({ rows }) => rows[0]['QUERY PLAN'][0].Plan) as [Plan, Plan]
  const planning = 2.5 * (tablesIn(forValues) + 1)
  return forAll['Total Cost'] > forValues['Total Cost'] + planning ? [forValues] : [forValues, forAll]
}

test('no statement that clients use regularly reads a large table completely', { skip }, async () => {
  const { chat, people } = await fillChat()
  const [ada, ben, cleo] = people as [Person, Person, Person]

  const statements = await recordStatements(() => useChat([ada, ben, cleo]))
  await using client = await connectTo(chat.settings.DATABASE_URL)
  const scans: string[] = []
  for (const statement of statements) {
    if (!/^(select|insert|update|delete|with)/.test(statement.text) || !statement.text.includes('"')) continue
    const tables = (await plansOf(client, statement)).flatMap(scansIn)
    if (tables.length > 0) scans.push(`${[...new Set(tables)]}: ${statement.text} ${JSON.stringify(statement.values)}`)
  }

  assert.ok(statements.length > 100, String(statements.length))
  assert.deepEqual(scans, [])
})
