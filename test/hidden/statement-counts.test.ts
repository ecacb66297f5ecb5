import assert from 'node:assert/strict'
import test from 'node:test'
import { BotType } from '#rules/role.ts'
import { countOwnStatements } from '../count-statements.ts'
import { onPostgres } from '../database.ts'
import { startChat } from '../harness.ts'

const skip = onPostgres && 'statements are counted on SQLite'

type Request = (channel: { id: number; name: string }) => [route: string, params?: Record<string, unknown>]

const requests: Request[] = [
  ({ name }) => ['GET /get_stream_id', { stream: name }],
  ({ id }) => [`GET /streams/${id}`],
  ({ id }) => [`GET /users/me/${id}/topics`],
  ({ name }) => ['DELETE /users/me/subscriptions', { subscriptions: [name] }],
  ({ name }) => ['PATCH /users/me/subscriptions', { delete: [name] }],
  ({ name }) => ['POST /messages/render', { content: `#**${name}** and #**${name}>tea**` }],
  ({ name }) => ['POST /messages', { type: 'channel', to: name, topic: 'tea', content: 'hi' }],
  ({ id }) => ['POST /messages', { type: 'channel', to: id, topic: 'tea', content: 'hi' }],
  ({ id }) => ['POST /typing', { type: 'channel', op: 'start', stream_id: id, topic: 'tea' }],
  ({ name }) => ['GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow: [['channel', name]] }],
]

test('a hidden channel takes as many statements as a missing one', { skip }, async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const missing = { id: 9999, name: 'secres' }

  for (const person of [ben, bot]) {
    for (const request of requests) {
      const count = (channel: { id: number; name: string }) =>
        countOwnStatements(() => person.call(...request(channel)))
      await count({ id: 9998, name: 'another' })
      // The first call finds nothing about the channel in the cache, the second one finds everything.
      const first = [await count(secret), await count(missing)]
      const second = [await count(secret), await count(missing)]
      assert.equal(first[0], first[1], `${request(secret)[0]}: ${first}`)
      assert.equal(second[0], second[1], `${request(secret)[0]}: ${second}`)
    }
  }
})
