import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBigEmoji } from './emoji-text.ts'
import { parseHtml } from './parse-html.ts'

const isBig = (html: string) => isBigEmoji(parseHtml(html, (text) => text))
const wave = '<span class="emoji emoji-1f44b">:wave:</span>'
const own = '<img class="emoji" src="/a.png">'

test('one to three emoji alone are big, custom ones too', () => {
  assert(isBig(`<p>${wave}</p>`))
  assert(isBig(`<p>${wave} ${own}\n${wave}</p>\n`))
})

test('more emoji, and emoji with text or other blocks, have the size of the text', () => {
  for (const html of [`<p>${wave.repeat(4)}</p>`, `<p>hi ${wave}</p>`, `<p>${wave}</p><p>x</p>`, '<p></p>', ''])
    assert(!isBig(html), html)
})
