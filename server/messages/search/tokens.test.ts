import assert from 'node:assert/strict'
import test from 'node:test'
import { escapeHtml } from '#lib/html.ts'
import { fc } from '../../../test/fast-check.ts'
import { highlightMatches } from './find-matches.ts'
import { parsePhrases } from './phrases.ts'
import { tokenizeHtml, tokenizeText } from './tokens.ts'

const keys = (text: string) => tokenizeText(text).map((token) => token.key)

test('case, accents and English inflections make no difference', () => {
  assert.deepEqual(keys('Café CAFE cafés'), ['cafe', 'cafe', 'cafe'])
  assert.deepEqual(keys('message messages Lunch lunches box boxes party parties'), [
    ...['messag', 'messag', 'lunch', 'lunch', 'box', 'box', 'party', 'party'],
  ])
  assert.deepEqual(keys('class status is this bus'), ['class', 'status', 'is', 'this', 'bus'])
  assert.deepEqual(keys('Straße ǅ ﬁn 𝔸b'), ['straße', 'dz', 'fin', 'ab'])
})

test('only the beginning of a very long word counts', () => {
  assert.deepEqual(keys(`a${'\u0301'.repeat(998)}bc x`), ['ab', 'x'])
})

test('other characters than letters and digits separate words, and scripts without spaces give one token per character', () => {
  assert.deepEqual(keys("don't foo_bar v2.10-rc1 a@b.example"), [
    ...['don', 't', 'foo', 'bar', 'v2', '10', 'rc1', 'a', 'b', 'exampl'],
  ])
  assert.deepEqual(keys('東京tower ひる'), ['東', '京', 'tower', 'ひ', 'る'])
})

test('tags and entities of HTML contain no tokens', () => {
  const html = '<p title="a > b">one<br>two &amp; thr<em>ee</em></p><math><x>hidden</x></math>'

  const tokens = tokenizeHtml(html)

  assert.deepEqual(
    tokens.map((token) => token.key),
    ['one', 'two', 'thr', 'ee'],
  )
  for (const { key, start, end } of tokens) assert.equal(html.slice(start, end), key)
})

test('a search is parsed into words and quoted phrases', () => {
  assert.deepEqual(
    parsePhrases('big "red cars" foo-bar "" - "unclosed end'),
    [['big'], ['red', 'car'], ['foo', 'bar'], ['unclos'], ['end']].map((keys) => ({ keys })),
  )
  assert.deepEqual(parsePhrases(' !? '), [])
  assert.deepEqual(parsePhrases('deployin* "red*" a* *'), [
    { beginning: 'deployin', inflected: ['deployin', 'deploy'] },
    { keys: ['red'] },
    { keys: ['a'] },
  ])
})

test('words are highlighted, and phrases only as a whole', () => {
  const marked = (html: string, search: string) => highlightMatches(html, parsePhrases(search))
  const span = (text: string) => `<span class="highlight">${text}</span>`

  assert.equal(marked('<p>Big cars, car</p>', 'car'), `<p>Big ${span('cars')}, ${span('car')}</p>`)
  assert.equal(marked('red <b>car</b> red', '"red car"'), `${span('red')} <b>${span('car')}</b> red`)
  assert.equal(
    marked('<a href="/span">amp &amp; quot</a>', 'span amp'),
    `<a href="/span">${span('amp')} &amp; quot</a>`,
  )
  assert.equal(marked('<p>other</p>', 'car'), '<p>other</p>')
})

test('removing the highlighting restores the original HTML', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 40 })
  const pieces = fc.oneof(
    texts.map(escapeHtml),
    fc.constantFrom('<p>', '</p>', '<a href="x&amp;y">', '<br>', 'car cars '),
  )
  fc.assert(
    fc.property(
      fc.array(pieces).map((parts) => parts.join('')),
      texts,
      (html, search) => {
        const marked = highlightMatches(html, parsePhrases(`${search} car`))
        assert.equal(marked.replace(/<span class="highlight">([^<]*)<\/span>/g, '$1'), html)
      },
    ),
  )
})

test('tokenizing takes linear time', () => {
  const startedAt = process.cpuUsage()
  for (const text of ['<'.repeat(50_000), '<a "'.repeat(20_000), '&'.repeat(50_000), '<math '.repeat(10_000)])
    tokenizeHtml(text)

  assert.ok(process.cpuUsage(startedAt).user < 2_000_000)
})
