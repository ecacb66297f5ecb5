import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { bodyLimits } from './upload-limits.ts'

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

test('bodies may be larger than 1 MiB only where larger files are taken', () => {
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

test('what people send without credentials, forms of pages too, has 64 KiB at most', () => {
  const open = endpoint({ route: 'POST /keys', summary: '', who: 'anyone', handle: () => ({}) })
  const limit = bodyLimits([small, large, open])

  for (const path of ['/api/v1/keys', '/json/keys', '/pictures/cat', '/login/', '/'])
    assert.equal(limit('POST', path), 64 * 1024, path)
})
