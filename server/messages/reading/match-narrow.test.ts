import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

test('the messages that match the narrow and that the user may read are returned, with highlighted matches', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const [tea, milk] = [
    await sendToChannel(ada, design, 'tea <3', 'T & T'),
    await sendToChannel(ada, design, 'milk', 'milk'),
  ]
  const [hidden, unreceived] = [
    await sendDirect(ada, [ada], 'tea'),
    await sendToChannel(ada, await chat.channel('x', [ada]), 'tea'),
  ]
  const msg_ids = [tea, milk, hidden, unreceived, 4711]

  const matchNarrow = (narrow: unknown) => ben.succeed('GET /messages/matches_narrow', { msg_ids, narrow })

  const searched = (await matchNarrow([['search', 'tea']]))['messages']
  assert.deepEqual(Object.keys(searched), [String(tea), String(unreceived)])
  assert.deepEqual(searched[tea], {
    match_content: '<p><span class="highlight">tea</span> &lt;3</p>',
    match_subject: 'T &amp; T',
  })
  const narrowed = (await matchNarrow([{ operator: 'channel', operand: 'design' }]))['messages']
  assert.deepEqual(Object.keys(narrowed), [String(tea), String(milk)])
  assert.equal(narrowed[milk].match_content, '<p>milk</p>')
  const refused = await ben.call('GET /messages/matches_narrow', { msg_ids, narrow: [['colour', 'red']] })
  assert.equal(refused.msg, 'Invalid narrow operator: unknown operator colour')
  assert.equal((await ben.call('GET /messages/matches_narrow', { msg_ids })).code, 'REQUEST_VARIABLE_MISSING')
})
