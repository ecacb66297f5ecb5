import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallerServices, logRefusal } from './caller.ts'
import type { HttpRequest } from './http-types.ts'
import { notFound } from './refusals.ts'

test('a refusal is logged without its sender if the database fails', async () => {
  const lines: object[] = []
  const authentication = { findSender: () => Promise.reject(new Error('The database failed')) }
  const services = {
    authentication,
    log: { security: (line: object) => lines.push(line) },
    securityLines: { take: () => 0 },
  } as unknown as CallerServices
  const headers = { authorization: `Basic ${Buffer.from(`ada@example.com:${'a'.repeat(32)}`).toString('base64')}` }
  const request = { method: 'GET', path: '/api/v1/none', host: 'localhost', headers, remoteAddress: '192.0.2.1' }

  await logRefusal(services, request as unknown as HttpRequest, notFound())

  assert.deepEqual(
    lines.map((line) => ({ ...line, reason: null })),
    [
      {
        event: 'request_refused',
        actor_id: null,
        target_id: null,
        realm_id: null,
        address: '192.0.2.1',
        reason: null,
        method: 'GET',
        path: '/api/v1/none',
      },
    ],
  )
})
