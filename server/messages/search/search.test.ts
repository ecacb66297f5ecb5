import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 }

async function search(person: Person, text: string, more: readonly unknown[] = []) {
  const page = await person.succeed('GET /messages', { ...RANGE, narrow: [['search', text], ...more] })
  return page['messages'] as { id: number; match_content: string; match_subject: string; content: string }[]
}

const find = async (person: Person, text: string, more: readonly unknown[] = []) =>
  (await search(person, text, more)).map((message) => message.id)

async function startTalk() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

test('a search matches the words of topic and content in any order', async () => {
  const { ada, ben, design } = await startTalk()
  const [one, two] = [
    await sendToChannel(ada, design, 'Big **red** cars', 'Garage'),
    await sendToChannel(ada, design, 'a red hat', 'shop'),
  ]
  const direct = await sendDirect(ada, [ben], 'Cars are big; RED is not a car')

  assert.deepEqual(await find(ben, 'red'), [one, two, direct])
  assert.deepEqual(await find(ben, 'car big'), [one, direct])
  assert.deepEqual(await find(ben, 'garage cars'), [one])
  assert.deepEqual(await find(ben, '"red car"'), [one])
  assert.deepEqual(await find(ben, '"garage big"'), [])
  assert.deepEqual(await find(ben, 'red absent'), [])
  assert.deepEqual(await find(ben, '?!'), [])
  assert.deepEqual(await find(ben, 'red', [['search', 'hat']]), [two])
  assert.deepEqual(await find(ben, 'red', [{ operator: 'search', operand: 'car', negated: true }]), [two])
})

test('a search finds the inflections of a word, and with an asterisk all words that begin with it', async () => {
  const { ada, ben, design } = await startTalk()
  const running = await sendToChannel(ada, design, 'It is running again', 'deployments')
  const runner = await sendToChannel(ada, design, 'the runner stopped', 'builds')

  assert.deepEqual(await find(ben, 'run'), [running])
  assert.deepEqual(await find(ben, 'runs'), [running])
  assert.deepEqual(await find(ben, '"running again"'), [running])
  assert.deepEqual(await find(ben, 'run*'), [running, runner])
  for (const typed of ['ru*', 'runn*', 'runni*', 'runnin*', 'running*', 'run* deploy*'])
    assert.ok((await find(ben, typed)).includes(running), typed)
  assert.deepEqual(await find(ben, 'stop run*'), [runner])
  assert.deepEqual(await find(ben, 'depl*', [{ operator: 'search', operand: 'run', negated: true }]), [])
  const [message] = await search(ben, 'run* stopping')
  assert.equal(
    message?.match_content,
    '<p>the <span class="highlight">runner</span> <span class="highlight">stopped</span></p>',
  )
})

test('the beginning of an inflected word finds it, as far as it is typed', async () => {
  const { ada, ben, design } = await startTalk()
  const id = await sendToChannel(ada, design, 'They carried two boxes and planned parties')

  for (const word of ['carried', 'boxes', 'planned', 'parties'])
    for (let end = 2; end <= word.length; end++)
      assert.deepEqual(await find(ben, `${word.slice(0, end)}*`), [id], word.slice(0, end))
  assert.deepEqual(await find(ben, 'carriers*'), [])
})

test('matches are highlighted in the HTML of content and topic without breaking it', async () => {
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

test('matches are highlighted in raw messages too, and in the display name of the empty topic', async () => {
  const { ada, ben, design } = await startTalk()
  await sendToChannel(ada, design, '**word**', '')
  await sendDirect(ada, [ben], 'word')
  const narrow = [['search', 'word']]

  const raw = await ben.succeed('GET /messages', { ...RANGE, narrow, apply_markdown: false })
  const bare = await ben.succeed('GET /messages', { ...RANGE, narrow, allow_empty_topic_name: true })

  const [message, direct] = raw['messages']
  assert.equal(message.content, '**word**')
  assert.equal(message.match_content, '<p><strong><span class="highlight">word</span></strong></p>')
  assert.deepEqual([message.match_subject, direct.match_subject], ['', ''])
  assert.equal(bare['messages'][0].match_subject, '')
  const plain = await ben.succeed('GET /messages', RANGE)
  assert.equal('match_content' in plain['messages'][0], false)
})

test('a search finds edited and moved messages by their new text, and no deleted ones', async () => {
  const { ada, ben, design } = await startTalk()
  const id = await sendToChannel(ada, design, 'apples', 'fruit')
  const later = await sendToChannel(ada, design, 'pears', 'fruit')

  await ada.succeed(`PATCH /messages/${id}`, { content: 'plums' })
  assert.deepEqual(await find(ben, 'apples'), [])
  assert.deepEqual(await find(ben, 'plums fruit'), [id])
  await ada.succeed(`PATCH /messages/${id}`, {
    topic: 'vegetables',
    propagate_mode: 'change_all',
    send_notification_to_new_thread: false,
  })
  assert.deepEqual(await find(ben, 'fruit'), [])
  assert.deepEqual(await find(ben, 'vegetable'), [id, later])
  await ada.succeed(`PATCH /messages/${id}`, { topic: '✔ vegetables', propagate_mode: 'change_all' })
  assert.deepEqual((await find(ben, 'vegetable')).slice(0, 2), [id, later])
  await ben.call(`DELETE /messages/${id}`)
  assert.deepEqual(await find(ben, 'plums'), [id])
  await ada.succeed(`DELETE /messages/${id}`)
  assert.deepEqual(await find(ben, 'plums'), [])
})

test('messages that were never received are found if the narrow names a channel or all public ones', async () => {
  const { chat, ada, ben } = await startTalk()
  const other = await chat.channel('other', [ada])
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const id = await sendToChannel(ada, other, 'treasure')
  await sendToChannel(ada, secret, 'treasure')
  await sendDirect(ada, [ada], 'treasure')

  assert.deepEqual(await find(ben, 'treasure'), [])
  assert.deepEqual(await find(ben, 'treasure', [['channel', 'other']]), [id])
  assert.deepEqual(await find(ben, 'treasure', [['channels', 'public']]), [id])
})

test('the query syntax of the database has no effect in a search', async () => {
  const { ada, ben, design } = await startTalk()
  const id = await sendToChannel(ada, design, "near or not and it's NEAR 2 (a b) col: x* ^y 漢字")

  for (const text of ['near', 'NOT AND OR', 'NEAR(a b)', 'words:near', "it's", '"it\'s near"', "a & b | !c'x", '漢字'])
    assert.equal(typeof (await find(ben, text)).length, 'number')
  assert.deepEqual(await find(ben, "it's"), [id])
  assert.deepEqual(await find(ben, 'or not and'), [id])
  assert.deepEqual(await find(ben, '漢字'), [id])
  assert.deepEqual(await find(ben, '字漢'), [])
  const long = await ben.call('GET /messages', { ...RANGE, narrow: [['search', 'word '.repeat(200)]] })
  assert.equal(long['desc'], 'too many words')
  const words = (from: number) => Array.from({ length: 60 }, (_, at) => `word${from + at}`).join(' ')
  const narrow = [
    ['search', words(0)],
    ['search', words(60)],
  ]
  assert.equal((await ben.call('GET /messages', { ...RANGE, narrow }))['desc'], 'too many words')
})

test('each beginning of a word counts as ten words of a search', async () => {
  const { ben } = await startTalk()
  const beginnings = (count: number) => Array.from({ length: count }, (_, at) => `word${at}*`).join(' ')
  const search = async (text: string) =>
    (await ben.call('GET /messages', { ...RANGE, narrow: [['search', text]] }))['desc']

  assert.equal(await search(beginnings(10)), undefined)
  assert.equal(await search(`${beginnings(10)} word`), 'too many words')
})

test('messages of the maximum length are found', async () => {
  const { ada, ben, design } = await startTalk()
  const ids = [
    await sendToChannel(ada, design, 'x'.repeat(10_000)),
    await sendToChannel(ada, design, 'ab '.repeat(3333).trim()),
  ]

  assert.deepEqual(await find(ben, 'x'.repeat(10_000)), [ids[0]])
  assert.deepEqual(await find(ben, '"ab ab ab"'), [ids[1]])
})
