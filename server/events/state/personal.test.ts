import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START, startChat } from '../../../test/harness.ts'

const types = { fetch_event_types: ['alert_words', 'drafts', 'saved_snippets'] }

test("the state has the user's own alert words, drafts and snippets only", async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const draft = { type: '', to: [], topic: '', content: 'hm' }
  await ben.succeed('POST /users/me/alert_words', { alert_words: ['tea'] })
  const { ids } = await ben.succeed('POST /drafts', { drafts: [draft, draft] })
  await chat.clock.advance(1)
  await ben.succeed(`PATCH /drafts/${ids[0]}`, { draft })
  const { saved_snippet_id: id } = await ben.succeed('POST /saved_snippets', { title: 'Hi', content: 'Hello' })

  const own = await ben.succeed('POST /register', types)
  const foreign = await cleo.succeed('POST /register', types)

  assert.partialDeepStrictEqual(own, {
    alert_words: ['tea'],
    drafts: [
      { ...draft, id: ids[0], timestamp: START + 1 },
      { ...draft, id: ids[1], timestamp: START },
    ],
    saved_snippets: [{ id, title: 'Hi', content: 'Hello', date_created: START + 1 }],
  })
  for (const field of types.fetch_event_types) assert.deepEqual(foreign[field], [])
})

test('a user who does not synchronize drafts has none in the state', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed('POST /drafts', { drafts: [{ type: '', to: [], topic: '', content: 'hm' }] })
  await ben.succeed('PATCH /settings', { enable_drafts_synchronization: false })

  const state = await ben.succeed('POST /register', types)

  assert.deepEqual(state['drafts'], [])
})
