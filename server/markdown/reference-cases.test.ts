import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownCasesAbsent, readMarkdownCases, renderCase } from '../../test/markdown/markdown-cases.ts'

test('messages are rendered byte for byte as clients expect', { skip: markdownCasesAbsent }, () => {
  const unmet = readMarkdownCases().filter((each) => renderCase(each) !== each.expected)

  assert.deepEqual(
    unmet.map(({ name }) => name),
    [],
  )
})
