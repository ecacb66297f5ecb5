import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHtml, textOf } from '../parse-html.ts'
import { linesOf } from './code-lines.ts'

const linesOfHtml = (html: string) => linesOf(parseHtml(html, (text) => text)).map((line) => line.map(textOf).join(''))

test('code is divided into lines that keep their line breaks', () => {
  assert.deepEqual(linesOfHtml('a\n\n<span class="k">b</span> c\n'), ['a\n', '\n', 'b c\n'])
  assert.deepEqual(linesOfHtml('a'), ['a'])
  assert.deepEqual(linesOfHtml(''), [''])
})

test('a colored word over several lines is colored on each of them', () => {
  const [first, second, third] = linesOf(parseHtml('x<span class="cm">1\n2\n</span>y', (text) => text))

  assert.deepEqual(first, ['x', { tag: 'span', attributes: new Map([['class', 'cm']]), children: ['1\n'] }])
  assert.deepEqual(second, [{ tag: 'span', attributes: new Map([['class', 'cm']]), children: ['2\n'] }])
  assert.deepEqual(third, ['y'])
})
