import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { bodyLimits } from './server.ts'

const MEBIBYTE = 1024 * 1024

const small = endpoint({ route: 'POST /notes', summary: '', who: 'user', handle: () => ({}) })
const large = endpoint({
  route: 'POST /pictures/{name}',
  summary: '',
  who: 'user',
  path: { name: z.string() },
  maxUploadBytes: 5 * MEBIBYTE,
  handle: () => ({}),
})

test('only endpoints for larger files accept bodies of more than 1 MiB', () => {
  const limit = bodyLimits([small, large])

  assert(limit('POST', '/api/v1/pictures/cat') > 5 * MEBIBYTE)
  for (const [method, path] of [
    ['POST', '/api/v1/notes'],
    ['PATCH', '/api/v1/pictures/cat'],
    ['GET', '/api/v1/pictures/cat'],
    ['POST', '/api/v1/pictures/cat/x'],
  ] as const)
    assert.equal(limit(method, path), MEBIBYTE, `${method} ${path}`)
})

test('bodies of requests without credentials, and forms of pages, may have 64 KiB', () => {
  const open = endpoint({ route: 'POST /keys', summary: '', who: 'anyone', handle: () => ({}) })
  const limit = bodyLimits([small, large, open])

  for (const path of ['/api/v1/keys', '/json/keys', '/pictures/cat', '/login/', '/'])
    assert.equal(limit('POST', path), 64 * 1024, path)
})
