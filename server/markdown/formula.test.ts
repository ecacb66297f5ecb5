import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formulaToHtml } from './formula.ts'

test('colours, frames, identifiers and addresses of a formula are left out', () => {
  const html = formulaToHtml('\\fcolorbox{red}{blue}{a} \\color{red} b \\pmb{c}', false) ?? ''

  assert.doesNotMatch(html, / style="[^"]*(?:color|border:|solid|shadow)/)
  assert.doesNotMatch(html.split('class="katex-html"')[0] ?? '', / style=/)
  for (const source of [
    '\\href{https://example.com}{a}',
    '\\htmlId{a}{b}',
    '\\htmlClass{a}{b}',
    '\\htmlStyle{top:0}{b}',
  ])
    assert.doesNotMatch(formulaToHtml(source, false) ?? '', /<a | href=| id=|enclosing/)
})

test('what is no formula is none', () => {
  assert.equal(formulaToHtml('\\undefined', false), null)
  assert.equal(formulaToHtml('{'.repeat(20_000), false), null)
})

test('nothing that is written in a formula reaches the log', (t) => {
  const said = (['log', 'warn', 'error'] as const).map((name) => t.mock.method(console, name, () => {}))

  formulaToHtml('\\message{secret} \\errmessage{secret} \\show\\alpha 漢 ⊶', false)

  assert.deepEqual(
    said.map((method) => method.mock.callCount()),
    [0, 0, 0],
  )
})
