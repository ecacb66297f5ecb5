import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireEncryption } from './open-postgres.ts'

const isAllowed = (url: string) => {
  try {
    requireEncryption(url)
    return true
  } catch (error) {
    assert.match(
      (error as Error).message,
      /at db\.example\.com would not be encrypted.*sslmode=verify-full.*sslmode=disable/,
    )
    return false
  }
}

test('connections to PostgreSQL on another machine are encrypted, or the URL says that they are not', () => {
  const other = 'postgres://parley:secret@db.example.com/parley'
  const allowed = [
    'postgres://parley:secret@localhost/parley',
    'postgres://127.0.0.1:5433/parley',
    'postgres://[::1]/parley',
    'postgres:///parley?host=/var/run/postgresql',
    `${other}?sslmode=require`,
    `${other}?sslmode=verify-full`,
    `${other}?sslmode=disable`,
    `${other}?connect_timeout=3&ssl=false`,
  ]

  for (const url of allowed) assert.ok(isAllowed(url), url)
  for (const url of [other, `${other}?connect_timeout=3`]) assert.ok(!isAllowed(url), url)
})
