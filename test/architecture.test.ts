import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)

const ENDINGS = ['', '.ts', '.tsx']

/** Returns whether a path exists below the root, the server or the client. */
const exists = (name: string) =>
  ['.', 'server', 'web'].some((place) => ENDINGS.some((ending) => existsSync(path.join(ROOT, place, name + ending))))

test('the guides for developers, and the page about security, name only files that exist', () => {
  const pages = readdirSync(path.join(ROOT, 'docs/architecture')).map((page) => `docs/architecture/${page}`)
  const guides = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/security.md', ...pages]
  const unknown = guides.flatMap((guide) =>
    codeIn(read(guide))
      .filter((code) => /^(?!data\/)[a-z][\w.-]*(?:\/[\w.-]+)+$/.test(code))
      .filter((code) => !exists(code))
      .map((code) => `${guide}: ${code}`),
  )

  assert.deepEqual(unknown, [])
})
