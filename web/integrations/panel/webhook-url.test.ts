import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookUrl } from './webhook-url.ts'

const paramsOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

test('the URL contains the key, the target, the events and the options that are set', () => {
  const url = webhookUrl('https://chat.example.com', 'github', 'KEY', {
    channelId: 7,
    topic: ' Q&A #1 ',
    events: ['push', 'pull_request'],
    options: { branches: 'main, v2', ignore_private_repositories: '' },
  })

  assert.ok(url.startsWith('https://chat.example.com/api/v1/external/github?'))
  assert.deepEqual(paramsOf(url), {
    api_key: 'KEY',
    stream: '7',
    topic: 'Q&A #1',
    only_events: '["push","pull_request"]',
    branches: 'main, v2',
  })
})

test('without a channel, the URL names no topic either', () => {
  const url = webhookUrl('https://chat.example.com', 'json', 'KEY', {
    channelId: null,
    topic: 'tea',
    events: [],
    options: {},
  })

  assert.deepEqual(paramsOf(url), { api_key: 'KEY' })
})
