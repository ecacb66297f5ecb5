import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { projectRoot } from './process.ts'
import { readSignInFile, signInFileSchema } from './sign-in-file.ts'

function read(content: unknown, environment: Record<string, string> = {}) {
  const path = join(mkdtempSync(join(tmpdir(), 'sign-in-file-')), 'sign-in.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return readSignInFile(path, environment)
}

const google = { id: 'google', preset: 'google', client_id: 'abc', client_secret: 'very-secret' }

test('a secret is in the file, or in an environment variable', () => {
  const { client_secret: _, ...rest } = google
  const other = { ...rest, id: 'other', client_secret_env: 'SECRET' }

  const { providers, ownersMayAddProviders } = read({ providers: [google, other] }, { SECRET: 'from-outside' })

  assert.ok(ownersMayAddProviders)
  assert.deepEqual(
    providers.map(({ clientSecret }) => clientSecret),
    ['very-secret', 'from-outside'],
  )
})

test('every problem of the file is named with its place, and never with a secret', () => {
  const wrong: [unknown, RegExp][] = [
    ['{', /is not JSON/],
    [{ providers: [{ ...google, preset: 'gogle' }] }, /providers\.0\.preset/],
    [{ providers: [{ ...google, colour: 'red' }] }, /colour/],
    [{ providers: [{ ...google, id: 'own-1' }] }, /providers\.0\.id/],
    [{ providers: [{ ...google, preset: 'keycloak' }] }, /providers\.0\.issuer: is needed/],
    [{ providers: [{ ...google, roles: { a: 'owner' } }] }, /providers\.0\.groups_claim: is needed/],
    [{ providers: [{ ...google, preset: 'apple' }] }, /team_id/],
    [{ providers: [google, google] }, /occurs twice/],
    [{ providers: [{ ...google, client_secret: undefined, client_secret_env: 'NOWHERE' }] }, /NOWHERE is not set/],
    [{ providers: [{ ...google, client_secret: undefined }] }, /google: needs client_secret/],
  ]
  for (const [content, problem] of wrong)
    assert.throws(
      () => read(content),
      ({ message }: Error) => problem.test(message) && !message.includes('very-secret'),
    )
  assert.throws(() => readSignInFile('/nowhere/sign-in.json', {}), /cannot be read/)
})

test('the published schema is that of the code', () => {
  const path = join(projectRoot, 'docs/sign-in-file.schema.json')
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), z.toJSONSchema(signInFileSchema, { io: 'input' }))
})
