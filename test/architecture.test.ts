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

/** The number of requirements of levels 1 and 2 in each section of the standard. They come before those of level 3. */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  1: [2, 9, 11, 3, 2],
  2: [3, 3, 4, 1],
  3: [0, 2, 4, 6, 5, 0, 2],
  4: [3, 1, 2, 4],
  5: [1, 3, 2, 3],
  6: [3, 12, 4, 4, 5, 3, 0, 4],
  7: [3, 4, 2, 5, 2, 2],
  8: [2, 3, 1, 1],
  9: [3, 4],
  10: [2, 2, 4, 11, 5, 2, 3],
  11: [2, 3, 3, 4, 1, 1],
  12: [3, 2, 4],
  13: [1, 5, 2, 5],
  14: [2, 4, 3],
  15: [3, 3, 7],
  16: [1, 5, 4, 3, 3],
  17: [1, 4, 2],
}

const ROW = /^\| v5\.0\.0-([\d.]+) \| [^|]+ \| ([12]) \| (met|not met|not applicable) \| ([^|]+) \|$/

test('the security checklist has each requirement once, with evidence that exists', () => {
  const page = read('docs/security-checklist.md')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| v5'))
    .map((line) => {
      const [, requirement = line, level = '', state = '', reason = ''] = ROW.exec(line) ?? []
      return { requirement, level, state, evidence: codeIn(reason).filter((code) => /^[^/].*[/.]/.test(code)) }
    })

  const expected = Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
    sections.flatMap((count, at) => Array.from({ length: count }, (_, number) => `${chapter}.${at + 1}.${number + 1}`)),
  )
  assert.deepEqual(
    rows.map(({ requirement }) => requirement),
    expected,
  )
  const missing = rows.flatMap(({ requirement, state, evidence }) => [
    ...evidence.filter((file) => !existsSync(path.join(ROOT, file))).map((file) => `${requirement}: ${file}`),
    ...(state === 'met' && evidence.length === 0 ? [requirement] : []),
  ])
  assert.deepEqual(missing, [])

  const count = (state: string, level = /./) =>
    rows.filter((row) => row.state === state && level.test(row.level)).length
  for (const level of ['1', '2']) {
    const counts = ['met', 'not met', 'not applicable'].map((state) => count(state, new RegExp(level)))
    assert(page.includes(`| level ${level} | ${counts.join(' | ')} |`), `level ${level}: ${counts.join(', ')}`)
  }
  assert(count('met') >= 0.95 * (count('met') + count('not met')))
})
