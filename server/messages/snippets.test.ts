import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalResponse } from '../../test/channels.ts'
import { START, startChat } from '../../test/harness.ts'

test('snippets are saved, edited and deleted, and only their owner receives events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  const { saved_snippet_id: id } = await ben.succeed('POST /saved_snippets', { title: ' Hi ', content: 'Hello *you*' })
  await ben.succeed(`PATCH /saved_snippets/${id}`, { content: 'Hello' })
  await ben.succeed(`PATCH /saved_snippets/${id}`, { title: 'Hi' })
  const listed = await ben.succeed('GET /saved_snippets')
  await ben.succeed(`DELETE /saved_snippets/${id}`)
  const remaining = await ben.succeed('GET /saved_snippets')

  const snippet = { id, title: 'Hi', content: 'Hello *you*', date_created: START }
  assert.deepEqual(listed['saved_snippets'], [{ ...snippet, content: 'Hello' }])
  assert.deepEqual(remaining['saved_snippets'], [])
  const event = { type: 'saved_snippets' }
  assert.deepEqual(await chat.eventsOf(ben), [
    { ...event, op: 'add', saved_snippet: snippet },
    { ...event, op: 'update', saved_snippet: { ...snippet, content: 'Hello' } },
    { ...event, op: 'remove', saved_snippet_id: id },
  ])
  assert.deepEqual(await chat.eventsOf(cleo), [])
})

test('snippets of another user do not exist for the caller', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const { saved_snippet_id: id } = await ben.succeed('POST /saved_snippets', { title: 'a', content: 'b' })

  const notFound = { ...refusalResponse('Saved snippet does not exist.'), status: 404 }
  assert.deepEqual(await cleo.call(`PATCH /saved_snippets/${id}`, { title: 'c' }), notFound)
  assert.deepEqual(await cleo.call(`DELETE /saved_snippets/${id}`), notFound)
  assert.deepEqual(await ben.call('DELETE /saved_snippets/9999'), notFound)
  assert.deepEqual((await cleo.succeed('GET /saved_snippets'))['saved_snippets'], [])
})

test('a snippet has a title of at most 60 characters and content of at most 10,000', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const save = (title: string, content: string) => ben.call('POST /saved_snippets', { title, content })

  assert.deepEqual(await save('é'.repeat(61), 'x'), refusalResponse('title is too long (limit: 60 characters)'))
  assert.deepEqual(
    await save('x', 'é'.repeat(10_001)),
    refusalResponse('content is too long (limit: 10000 characters)'),
  )
  assert.deepEqual(await save(' ', 'x'), refusalResponse('title cannot be blank'))
  assert.deepEqual(await save('x', ' '), refusalResponse('content cannot be blank'))
  assert.equal((await save('é'.repeat(60), 'é'.repeat(10_000))).result, 'success')
})
