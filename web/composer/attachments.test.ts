import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinAttachments, moved, splitAttachments, toAttachment } from './attachments.ts'

const [a, b] = ['[a.png](/user_uploads/2/x/a.png)', '[b.pdf](/user_uploads/2/y/b.pdf)']
const [first, second] = [
  { name: 'a.png', url: '/user_uploads/2/x/a.png' },
  { name: 'b.pdf', url: '/user_uploads/2/y/b.pdf' },
]

test('links to files at the end of a message are attachments, and make the same text again', () => {
  const cases = [
    ['', '', []],
    ['hello\n', 'hello\n', []],
    [`hello\n${a}\n${b}`, 'hello', [first, second]],
    [`hello\n\n${a}`, 'hello\n', [first]],
    [`${a}\n${b}`, '', [first, second]],
    [`${a}\nhello`, `${a}\nhello`, []],
    [`see ${a}`, `see ${a}`, []],
    [`> ${a}`, `> ${a}`, []],
    ['[x](https://example.com/a.png)', '[x](https://example.com/a.png)', []],
    [`${a}\nso:\n${b}`, `${a}\nso:`, [second]],
  ] as const

  for (const [text, body, attachments] of cases) {
    assert.deepEqual(splitAttachments(text), { body, attachments })
    assert.equal(joinAttachments(body, attachments), text)
  }
})

test('the name of a file cannot end its link', () => {
  const file = toAttachment('plan[1]\\.txt', '/user_uploads/2/x/plan.txt')

  assert.equal(joinAttachments('', [file]), '[plan1.txt](/user_uploads/2/x/plan.txt)')
  assert.deepEqual(splitAttachments(joinAttachments('', [file])).attachments, [file])
  assert.equal(toAttachment('[]', '/user_uploads/x').name, 'file')
})

test('an attachment moves to another position', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a'])
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 1), ['a', 'c', 'b'])
})
