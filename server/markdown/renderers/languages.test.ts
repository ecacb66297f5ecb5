import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { languageName } from './languages.ts'

const reference = path.resolve(import.meta.dirname, '../../../../shared/reference/code-languages.json')

test('a language is found by any of its aliases in any case, and an unknown language keeps its name', () => {
  const names = ['py', 'PY3', 'c++', 'latex', 'inventedLanguage'].map(languageName)

  assert.deepEqual(names, ['Python', 'Python', 'C++', 'TeX', 'inventedLanguage'])
})

test('the table contains the languages that clients know', {
  skip: !existsSync(reference) && `${reference} is absent`,
}, () => {
  const known: { name: string; aliases: string[] }[] = JSON.parse(readFileSync(reference, 'utf8'))

  const wrong = known.flatMap(({ name, aliases }) => aliases.filter((alias) => languageName(alias) !== name))

  assert.deepEqual(wrong, [])
})
