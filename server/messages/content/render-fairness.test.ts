import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { renderInWorker } from '../../platform/markdown/render-in-worker.ts'
import { emptyScope } from '../../platform/markdown/scope.ts'

const formula = (number: number) => ({ content: `$$x_{${number}}$$` })

/** Asks for many renderings at once; the names of those who asked, in the order of their answers. */
async function renderAtOnce(wishes: readonly (readonly [name: string, person: Person, count: number])[]) {
  const order: string[] = []
  const answers = wishes.flatMap(([name, person, count]) =>
    Array.from({ length: count }, async (_, at) => {
      await person.succeed('POST /messages/render', formula(at))
      order.push(name)
    }),
  )
  await Promise.all(answers)
  return order
}

test('one person who has very much rendered does not hold up another', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const order = await renderAtOnce([
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

  const order = await renderAtOnce([...bots.map((bot, at) => [`bot${at}`, bot, 4] as const), ['ben', ben, 3]])

  assert.ok(order.lastIndexOf('ben') < 25, order.join())
})

/** Has so many formulas rendered for a person at once, as requests and the bots of the person would. */
const renderFor = ({ id }: Person, count: number) =>
  Promise.allSettled(
    Array.from({ length: count }, (_, at) =>
      renderInWorker(formula(at).content, emptyScope, { key: id, isLimited: true }),
    ),
  )

test('whoever has too much rendered at once is asked to try again, and nobody else is', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const [ofAda, [ofBen]] = await Promise.all([renderFor(ada, 60), renderFor(ben, 1)])

  const refusals = ofAda.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  assert.equal(refusals.length, 9)
  for (const { kind, extras } of refusals)
    assert.deepEqual([kind.status, kind.code, extras], [429, 'RATE_LIMIT_HIT', { 'retry-after': 1 }])
  assert.equal(ofBen?.status, 'fulfilled')
})

test('a scheduled message waits instead of being refused while its sender has much rendered', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const scheduled_delivery_timestamp = chat.clock.now() + 60
  const message = { type: 'direct', to: [ada.id], content: '$$e^x$$', scheduled_delivery_timestamp }
  await ada.succeed('POST /scheduled_messages', message)

  await Promise.all([renderFor(ada, 60), chat.clock.advance(60)])

  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.match(messages[0].content, /katex/)
})
