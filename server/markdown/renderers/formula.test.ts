import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formulaToHtml } from './formula.ts'

const html = (source: string) => formulaToHtml(source, false) ?? ''

test('positions, hidden elements, rules and frames of KaTeX are kept', () => {
  assert.match(html('\\int x'), /<span class="mop op-symbol small-op" style="[^"]*position:relative;top:-0\.0006em;">∫/)
  assert.match(html('a\\phantom{b}c'), /<span class="mord mathnormal" style="color:transparent;">b<\/span>/)
  assert.match(
    html('\\begin{array}{c|c:c}a&b&c\\end{array}'),
    /"vertical-separator" style="[^"]*border-right-width:0\.04em;border-right-style:solid;margin:0 -0\.02em;vertical-align:/,
  )
  assert.match(html('\\begin{array}{c:c}a&b\\end{array}'), /border-right-style:dashed;/)
  for (const frame of ['\\fbox{a}', '\\boxed{a}'])
    assert.match(html(frame), /stretchy fbox" style="[^"]*border-style:solid;border-width:0\.04em;/)
  assert.match(html('\\pmb{a}'), /style="text-shadow:0\.02em 0\.01em 0\.04px;"/)
})

test('colors are kept in the drawing and in MathML', () => {
  const colored = html('\\fcolorbox{red}{#abcDEF}{a} \\color{#00f8} b')

  assert.match(colored, /style="[^"]*background-color:#abcDEF;[^"]*border-color:red;"/)
  assert.match(colored, /style="color:#00f8;"/)
  assert.match(colored, /mathbackground="#abcDEF"/)
  assert.match(colored, /mathcolor="#00f8"/)
})

test('identifiers, addresses and styles that KaTeX does not write are removed', () => {
  assert.doesNotMatch(html('\\fcolorbox{red}{blue}{a}').split('class="katex-html"')[0] ?? '', / style=/)
  for (const source of [
    '\\href{https://example.com}{a}',
    '\\htmlId{a}{b}',
    '\\htmlClass{a}{b}',
    '\\htmlStyle{top:0}{b}',
    '\\htmlStyle{position:fixed}{b}',
    '\\includegraphics{https://example.com/a.png}',
  ])
    assert.doesNotMatch(html(source), /<a | href=| id=|enclosing| style="[^"]*(?:fixed|top:0;)|<img/)
})

test('invalid formulas are rejected', () => {
  assert.equal(formulaToHtml('\\undefined', false), null)
  assert.equal(formulaToHtml('{'.repeat(20_000), false), null)
})

test('the content of a formula never appears in the log', (t) => {
  const said = (['log', 'warn', 'error'] as const).map((name) => t.mock.method(console, name, () => {}))

  formulaToHtml('\\message{secret} \\errmessage{secret} \\show\\alpha 漢 ⊶', false)

  assert.deepEqual(
    said.map((method) => method.mock.callCount()),
    [0, 0, 0],
  )
})
