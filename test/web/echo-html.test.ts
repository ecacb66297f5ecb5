import assert from 'node:assert/strict'
import { test } from 'node:test'
import { echoHtml } from '../../web/conversation/timeline/echo-html.ts'
import { startChat } from '../harness.ts'

const SIMPLE = [
  'Thanks, that did it',
  'two\nlines\n\nand a **bold** paragraph with *stress*, ~~nothing~~ and `a < b && c`',
  '1 < 2 & "quoted"',
  'see https://example.com/a?b=1&c=2, please',
  'see [the page](https://example.com/a?b=1&c=2)',
  'Plan:\n\n* the importer\n* **then** the list',
  '3. three\n4. four',
  '> Do we need it?\n\nNo.',
  'at 10:30:45',
]

test('the echo of a message with simple syntax is the HTML that the server renders', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const withoutTarget = (html: string) => html.replaceAll(/ (?:target|title|rel)="[^"]*"/g, '').trim()

  for (const text of SIMPLE) {
    const { rendered } = await ada.succeed('POST /messages/render', { content: text })
    assert.equal(echoHtml(text), withoutTarget(rendered))
  }
})

test('a message with syntax that only the server renders has no echo in HTML', () => {
  for (const text of [
    '/poll Lunch?',
    ':tada:',
    '| a |\n|---|',
    '$$x^2$$',
    '```spoiler\nx\n```',
    '* a\n  * b',
    '# Plan',
  ])
    assert.equal(echoHtml(text), null, text)
})

test('the echo of code and mentions has their classes, and markup is escaped', () => {
  assert.equal(
    echoHtml('Try\n```js\na < b\n```'),
    '<p>Try</p><div class="codehilite" data-code-language="js"><pre><span></span><code>a &lt; b\n</code></pre></div>',
  )
  assert.equal(echoHtml('@**Ada|7** <b>'), '<p><span class="user-mention silent">@Ada</span> &lt;b&gt;</p>')
})
