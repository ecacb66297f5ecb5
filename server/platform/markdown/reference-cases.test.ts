import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownCasesAbsent, readMarkdownCases, renderCase } from '../../../test/markdown/markdown-cases.ts'

test('messages come out as clients know them, byte for byte', { skip: markdownCasesAbsent }, () => {
  const unmet = readMarkdownCases().filter((each) => renderCase(each) !== each.expected)

  assert.deepEqual(
    unmet.map(({ name }) => name),
    [],
  )
})
