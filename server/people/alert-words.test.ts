import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

const add = (person: Person, words: unknown) => person.call('POST /users/me/alert_words', { alert_words: words })

test('alert words are added once regardless of case, and removed; only their user gets the events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  const first = await add(ben, ['Tea', ' coffee ', '', 'tea'])
  const second = await add(ben, ['milk', 'TEA'])
  const left = await ben.succeed('DELETE /users/me/alert_words', { alert_words: ['Coffee', 'none'] })
  const listed = await ben.succeed('GET /users/me/alert_words')
  const foreign = await cleo.succeed('GET /users/me/alert_words')

  assert.deepEqual(first['alert_words'], ['Tea', 'coffee'])
  assert.deepEqual(second['alert_words'], ['Tea', 'coffee', 'milk'])
  assert.deepEqual(left['alert_words'], ['Tea', 'milk'])
  assert.deepEqual(listed['alert_words'], ['Tea', 'milk'])
  assert.deepEqual(foreign['alert_words'], [])
  assert.deepEqual(
    (await chat.eventsOf(ben)).map((event) => [event.type, event['alert_words']]),
    [first, second, left].map((body) => ['alert_words', body['alert_words']]),
  )
  assert.deepEqual(await chat.eventsOf(cleo), [])
})

test('the length and number of alert words are limited', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const many = Array.from({ length: 500 }, (_, i) => `word${i}`)

  const long = await add(ben, ['é'.repeat(101)])
  const most = await add(ben, many)
  const more = await add(ben, ['one more'])

  assert.deepEqual(long, refusalResponse('alert_words[0] is too long (limit: 100 characters)'))
  assert.equal(most.result, 'success')
  assert.deepEqual(more, refusalResponse('You can have at most 500 alert words.'))
  assert.equal((await ben.succeed('GET /users/me/alert_words'))['alert_words'].length, 500)
})
