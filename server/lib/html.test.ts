import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('values are escaped, inside elements and inside attributes', () => {
  const name = `<b onclick='x'>"Ada" & co</b>`

  assert.equal(
    html`<p title="${name}">${name}</p>`.html,
    '<p title="&lt;b onclick=&#39;x&#39;&gt;&quot;Ada&quot; &amp; co&lt;/b&gt;">&lt;b onclick=&#39;x&#39;&gt;&quot;Ada&quot; &amp; co&lt;/b&gt;</p>',
  )
})

test('HTML values are kept, lists are joined, and empty values leave nothing', () => {
  const items = ['a', '<', 3].map((item) => html`<li>${item}</li>`)

  assert.equal(
    html`<ul>${items}</ul>${null}${undefined}${false}${['&', html`<hr>`]}`.html,
    '<ul><li>a</li><li>&lt;</li><li>3</li></ul>&amp;<hr>',
  )
})
