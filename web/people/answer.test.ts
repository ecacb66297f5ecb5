import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHint } from './answer.ts'
import { FieldKind } from './profile-fields.ts'

test("the help text has the administrators' hint, the format, and whether the field is required", () => {
  const hint = (type: number, hint: string, required: boolean) => answerHint({ type, hint, required })

  assert.equal(hint(FieldKind.shortText, '', false), undefined)
  assert.equal(hint(FieldKind.shortText, 'In a hurry', true), 'In a hurry. Required.')
  assert.equal(hint(FieldKind.shortText, 'Why?', true), 'Why? Required.')
  assert.equal(hint(FieldKind.link, '', false), 'A full URL, starting with https://.')
})
