import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitLookups } from './guarded-fetch.ts'
import type { Resolve } from './guarded-request.ts'

test('names are looked up two at a time, the next ones wait, and too many fail', () => {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const outcomes: string[] = []
  const resolve: Resolve = (host, _, done) => {
    started.push(host)
    finish.set(host, () => done(null, [{ address: '203.0.113.7', family: 4 }]))
  }
  const lookup = limitLookups(resolve, { pending: 2, waiting: 1 })

  for (const host of ['a', 'b', 'c', 'd'])
    lookup(host, { all: true }, (error, [found]) => outcomes.push(`${host} ${error?.code ?? found?.address}`))

  assert.deepEqual([started, outcomes], [['a', 'b'], ['d EAI_AGAIN']])
  finish.get('b')?.()
  assert.deepEqual([started, outcomes.at(-1)], [['a', 'b', 'c'], 'b 203.0.113.7'])
  lookup('e', { all: true }, () => {})
  finish.get('c')?.()
  assert.deepEqual(started, ['a', 'b', 'c', 'e'])
})

test('a lookup that waits leaves the queue when its request is aborted', () => {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const outcomes: string[] = []
  const resolve: Resolve = (host, _, done) => {
    started.push(host)
    finish.set(host, () => done(null, []))
  }
  const limited = limitLookups(resolve, { pending: 1, waiting: 1 })
  const requests = new Map(['a', 'b', 'c', 'd'].map((host) => [host, new AbortController()]))
  const lookup = (host: string) =>
    limited(host, { all: true }, (error) => outcomes.push(`${host} ${error?.code}`), requests.get(host)?.signal)

  for (const host of ['a', 'b', 'c']) lookup(host)
  requests.get('b')?.abort()
  lookup('d')
  finish.get('a')?.()
  requests.get('d')?.abort()

  assert.deepEqual(started, ['a', 'd'])
  assert.deepEqual(outcomes, ['c EAI_AGAIN', 'b EAI_AGAIN', 'a undefined'])
})
