import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 }

async function search(person: Person, text: string, more: readonly unknown[] = []) {
  const page = await person.succeed('GET /messages', { ...RANGE, narrow: [['search', text], ...more] })
  return page['messages'] as { id: number; match_content: string; match_subject: string; content: string }[]
}

const found = async (person: Person, text: string, more: readonly unknown[] = []) =>
  (await search(person, text, more)).map((message) => message.id)

async function startTalk() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

test('messages are found by all their words, in any order, in topic and content', async () => {
  const { ada, ben, design } = await startTalk()
  const [one, two] = [
    await sendToChannel(ada, design, 'Big **red** cars', 'Garage'),
    await sendToChannel(ada, design, 'a red hat', 'shop'),
  ]
  const direct = await sendDirect(ada, [ben], 'Cars are big; RED is not a car')

  assert.deepEqual(await found(ben, 'red'), [one, two, direct])
  assert.deepEqual(await found(ben, 'car big'), [one, direct])
  assert.deepEqual(await found(ben, 'garage cars'), [one])
  assert.deepEqual(await found(ben, '"red car"'), [one])
  assert.deepEqual(await found(ben, '"garage big"'), [])
  assert.deepEqual(await found(ben, 'red absent'), [])
  assert.deepEqual(await found(ben, '?!'), [])
  assert.deepEqual(await found(ben, 'red', [['search', 'hat']]), [two])
  assert.deepEqual(await found(ben, 'red', [{ operator: 'search', operand: 'car', negated: true }]), [two])
})

test('what was found is marked in the HTML of content and topic, safely', async () => {
  const { ada, ben, design } = await startTalk()
  await sendToChannel(ada, design, '<b>class</b> & [class](https://example.com/class)', 'A <class>')

  const [message] = await search(ben, 'class', [['channel', 'design']])

  const mark = '<span class="highlight">class</span>'
  assert.equal(message?.match_subject, `A &lt;${mark}&gt;`)
  assert.equal(
    message?.match_content,
    `<p>&lt;b&gt;${mark}&lt;/b&gt; &amp; <a href="https://example.com/class">${mark}</a></p>`,
  )
  assert.equal(message?.content, message?.match_content.replaceAll(mark, 'class'))
})

test('the marks are there whatever form the content has, and with the name of the empty topic', async () => {
  const { ada, ben, design } = await startTalk()
  await sendToChannel(ada, design, '**word**', '')
  await sendDirect(ada, [ben], 'word')
  const narrow = [['search', 'word']]

  const raw = await ben.succeed('GET /messages', { ...RANGE, narrow, apply_markdown: false })
  const bare = await ben.succeed('GET /messages', { ...RANGE, narrow, allow_empty_topic_name: true })

  const [message, direct] = raw['messages']
  assert.equal(message.content, '**word**')
  assert.equal(message.match_content, '<p><strong><span class="highlight">word</span></strong></p>')
  assert.deepEqual([message.match_subject, direct.match_subject], ['general chat', ''])
  assert.equal(bare['messages'][0].match_subject, '')
  const plain = await ben.succeed('GET /messages', RANGE)
  assert.equal('match_content' in plain['messages'][0], false)
})

test('an edit, a move and a deletion change what a message is found by', async () => {
  const { ada, ben, design } = await startTalk()
  const id = await sendToChannel(ada, design, 'apples', 'fruit')
  const later = await sendToChannel(ada, design, 'pears', 'fruit')

  await ada.succeed(`PATCH /messages/${id}`, { content: 'plums' })
  assert.deepEqual(await found(ben, 'apples'), [])
  assert.deepEqual(await found(ben, 'plums fruit'), [id])
  await ada.succeed(`PATCH /messages/${id}`, {
    topic: 'vegetables',
    propagate_mode: 'change_all',
    send_notification_to_new_thread: false,
  })
  assert.deepEqual(await found(ben, 'fruit'), [])
  assert.deepEqual(await found(ben, 'vegetable'), [id, later])
  await ada.succeed(`PATCH /messages/${id}`, { topic: '✔ vegetables', propagate_mode: 'change_all' })
  assert.deepEqual((await found(ben, 'vegetable')).slice(0, 2), [id, later])
  await ben.call(`DELETE /messages/${id}`)
  assert.deepEqual(await found(ben, 'plums'), [id])
  await ada.succeed(`DELETE /messages/${id}`)
  assert.deepEqual(await found(ben, 'plums'), [])
})

test('words of what was not received are found where a channel is named, or all public ones', async () => {
  const { chat, ada, ben } = await startTalk()
  const other = await chat.channel('other', [ada])
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const id = await sendToChannel(ada, other, 'treasure')
  await sendToChannel(ada, secret, 'treasure')
  await sendDirect(ada, [ada], 'treasure')

  assert.deepEqual(await found(ben, 'treasure'), [])
  assert.deepEqual(await found(ben, 'treasure', [['channel', 'other']]), [id])
  assert.deepEqual(await found(ben, 'treasure', [['channels', 'public']]), [id])
})

test('the language of the index is not spoken by those who search', async () => {
  const { ada, ben, design } = await startTalk()
  const id = await sendToChannel(ada, design, "near or not and it's NEAR 2 (a b) col: x* ^y 漢字")

  for (const text of ['near', 'NOT AND OR', 'NEAR(a b)', 'words:near', "it's", '"it\'s near"', "a & b | !c'x", '漢字'])
    assert.equal(typeof (await found(ben, text)).length, 'number')
  assert.deepEqual(await found(ben, "it's"), [id])
  assert.deepEqual(await found(ben, 'or not and'), [id])
  assert.deepEqual(await found(ben, '漢字'), [id])
  assert.deepEqual(await found(ben, '字漢'), [])
  const long = await ben.call('GET /messages', { ...RANGE, narrow: [['search', 'word '.repeat(200)]] })
  assert.equal(long['desc'], 'too many words')
})

test('a message of the greatest length, and of one word, is found', async () => {
  const { ada, ben, design } = await startTalk()
  const ids = [
    await sendToChannel(ada, design, 'x'.repeat(10_000)),
    await sendToChannel(ada, design, 'ab '.repeat(3333).trim()),
  ]

  assert.deepEqual(await found(ben, 'x'.repeat(10_000)), [ids[0]])
  assert.deepEqual(await found(ben, '"ab ab ab"'), [ids[1]])
})
