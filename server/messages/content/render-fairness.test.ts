import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'

const formula = (number: number) => ({ content: `$$x_{${number}}$$` })

/** Asks for many renderings at once; the names of those who asked, in the order of their answers. */
async function renderAtOnce(wishes: readonly (readonly [name: string, person: Person, count: number])[]) {
  const answers = wishes.flatMap(([name, person, count]) =>
    Array.from({ length: count }, async (_, at) => ({
      name,
      answer: await person.call('POST /messages/render', formula(at)),
    })),
  )
  const order: string[] = []
  for (const answer of answers) void answer.then(({ name }) => order.push(name))
  return { answers: await Promise.all(answers), order }
}

test('one person who has very much rendered does not hold up another', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const { order } = await renderAtOnce([
    ['ada', ada, 40],
    ['ben', ben, 1],
  ])

  assert.ok(order.indexOf('ben') < 30, order.join())
})

test('a person and their bots share one turn', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bots = await Promise.all(
    Array.from({ length: 10 }, (_, at) => chat.user(`bot${at}`, { botType: 1, owner: ada })),
  )

  const { order } = await renderAtOnce([...bots.map((bot, at) => [`bot${at}`, bot, 4] as const), ['ben', ben, 3]])

  assert.ok(order.lastIndexOf('ben') < 25, order.join())
})

test('whoever has too much rendered at once is asked to try again, and nobody else is', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const { answers } = await renderAtOnce([
    ['ada', ada, 60],
    ['ben', ben, 1],
  ])

  const refused = answers.filter(({ answer }) => answer.status !== 200)
  assert.ok(refused.length > 0)
  for (const { name, answer } of refused)
    assert.deepEqual([name, answer.status, answer.code, answer['retry-after']], ['ada', 429, 'RATE_LIMIT_HIT', 1])
})

test('a scheduled message waits instead of being refused while its sender has much rendered', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const scheduled_delivery_timestamp = chat.clock.now() + 60
  const message = { type: 'direct', to: [ada.id], content: '$$e^x$$', scheduled_delivery_timestamp }
  await ada.succeed('POST /scheduled_messages', message)

  await Promise.all([renderAtOnce([['ada', ada, 60]]), chat.clock.advance(60)])

  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.match(messages[0].content, /katex/)
})
