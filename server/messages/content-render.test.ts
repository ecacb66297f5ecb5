import assert from 'node:assert/strict'
import test from 'node:test'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { emptyScope } from '#markdown/scope.ts'
import { startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'
import { renderInScope } from './content.ts'

const unableToRender = { status: 400, result: 'error', msg: 'Unable to render message', code: 'BAD_REQUEST' }

/** Each `&` starts a cell, and each cell takes hundreds of characters of HTML. */
const longFormula = `$$\\begin{matrix}${'&'.repeat(1900)}\\end{matrix}$$`

test('content whose HTML is too long can neither be rendered nor sent nor saved as an edit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, 'hi')
  const [before, events] = [await fetchMessage(ada, id), (await chat.eventsOf(ada)).length]

  const answers = [
    await ada.call('POST /messages/render', { content: longFormula }),
    await ada.call('POST /messages', { type: 'channel', to: 'design', topic: 'tea', content: longFormula }),
    await ada.call(`PATCH /messages/${id}`, { content: longFormula }),
  ]

  assert.deepEqual(answers, [unableToRender, unableToRender, unableToRender])
  assert.deepEqual(await fetchMessage(ada, id), before)
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 10, num_after: 0 })
  assert.deepEqual(
    messages.map((message: { id: number }) => message.id),
    [id],
  )
  assert.equal((await chat.eventsOf(ada)).length, events)
})

test('the HTML of a message may have up to half a million characters', async () => {
  const scope = { ...emptyScope, findCustomEmoji: () => ({ url: '/'.repeat(249_940) }) }

  const longest = await renderInScope(':a: :a:', scope, SERVER_REQUESTER)
  const longer = { ...scope, findCustomEmoji: () => ({ url: '/'.repeat(250_000) }) }
  const tooLong = await renderInScope(':a: :a: a', longer, SERVER_REQUESTER)

  assert.ok(longest !== null && longest.html.length > 499_900 && longest.html.length <= 500_000)
  assert.equal(tooLong, null)
})

test('rendering content gives the HTML that sending it stores', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const content = '\n\n@**Ada** in #**design**: $$x^2$$ :smile:\n\n|a|\n|-|\n|`b`|\n\n```py\nprint(1)\n```\n '

  const { rendered } = await ada.succeed('POST /messages/render', { content })

  const stored = await fetchMessage(ada, await sendToChannel(ada, design, content))
  assert.equal(stored.content, rendered)
  assert.match(rendered, /katex.*<table>.*codehilite/s)
})

test('the Markdown source is returned as sent, except for white space around it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const content = '    `a`\t\r\n\u00a0\u200b&amp;<b>\u0002\ud83d\ude42\n\n\n~~~\n x'

  const id = await sendToChannel(ada, design, `\n\n${content} \n\t`)

  assert.equal((await fetchMessage(ada, id, { apply_markdown: false })).content, content)
})
