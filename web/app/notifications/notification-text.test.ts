import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../store/messages/message.ts'
import { excerpt, notificationText } from './notification-text.ts'

const OWN = 1

const toPeople = (...ids: number[]) =>
  ({
    sender_id: 2,
    sender_full_name: 'Ada',
    content: '<p>tea?</p>',
    display_recipient: ids.map((id) => ({ id, full_name: `Person ${id}` })),
  }) as unknown as Message

test('the title names the sender and the conversation', () => {
  const shown = { ownId: OWN, hidesDirect: false }
  const inTopic = { sender_full_name: 'Ada', display_recipient: 'kitchen', subject: 'tea', content: '<p>now</p>' }

  assert.deepEqual(notificationText(toPeople(OWN, 2), shown), { title: 'Ada', body: 'tea?' })
  assert.deepEqual(notificationText(toPeople(OWN, 2, 3, 4), shown).title, 'Ada, to you and Person 3, Person 4')
  assert.deepEqual(notificationText(inTopic as Message, shown), { title: 'Ada in #kitchen › tea', body: 'now' })
  assert.deepEqual(
    notificationText({ ...inTopic, subject: '' } as Message, shown).title,
    'Ada in #kitchen › general chat',
  )
})

test('the content of direct messages can be hidden, that of channels not', () => {
  const hidden = { ownId: OWN, hidesDirect: true }
  const inTopic = { sender_full_name: 'Ada', display_recipient: 'kitchen', subject: 'tea', content: '<p>now</p>' }

  assert.equal(notificationText(toPeople(OWN, 2), hidden).body, 'New direct message')
  assert.equal(notificationText(inTopic as Message, hidden).body, 'now')
})

test('an excerpt is plain text: emoji as characters, formulas as source, spoilers hidden', () => {
  assert.equal(
    excerpt(
      '<p>One &amp; <strong>two</strong><br>\nthree <span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span></p>\n' +
        '<ul>\n<li>four</li>\n<li>five</li>\n</ul>' +
        '<p><img alt=":parley:" class="emoji" src="/x.png" title="parley"></p>' +
        '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html">x2</span></span>' +
        '<div class="spoiler-block"><div class="spoiler-header"><p>Ending</p></div><div class="spoiler-content"><p>she wins</p></div></div>',
    ),
    'One & two three 🎉 four five :parley: x^2 Ending (hidden)',
  )
})

test('long messages are cut off', () => {
  const cut = excerpt(`<p>${'word '.repeat(100)}</p>`)

  assert.ok(cut.length <= 202 && cut.endsWith('word …'))
  assert.equal(excerpt(`<p>${'🎉'.repeat(201)}</p>`), `${'🎉'.repeat(200)} …`)
})
