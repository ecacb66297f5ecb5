import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KIND } from '../field.ts'
import { hintOf } from './answer.ts'

test('a hint says what administrators say, how the field is filled in, and whether everybody is to do so', () => {
  const hint = (type: number, hint: string, required: boolean) => hintOf({ type, hint, required })

  assert.equal(hint(KIND.shortText, '', false), undefined)
  assert.equal(hint(KIND.shortText, 'In a hurry', true), 'In a hurry. Everybody is asked for it.')
  assert.equal(hint(KIND.shortText, 'Why?', true), 'Why? Everybody is asked for it.')
  assert.equal(hint(KIND.link, '', false), 'A whole address, with https:// before it.')
})
