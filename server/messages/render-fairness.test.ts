import assert from 'node:assert/strict'
import test from 'node:test'
import { renderInWorker } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { type Person, startChat } from '../../test/harness.ts'

const formula = (number: number) => ({ content: `$$x_{${number}}$$` })

/**
 * Requests many renderings at once. Returns the name of the requesting user for each response, in the order of the
 * responses.
 */
async function renderAtOnce(requests: readonly (readonly [name: string, person: Person, count: number])[]) {
  const order: string[] = []
  const answers = requests.flatMap(([name, person, count]) =>
    Array.from({ length: count }, async (_, at) => {
      await person.succeed('POST /messages/render', formula(at))
      order.push(name)
    }),
  )
  await Promise.all(answers)
  return order
}

test('a user with many renderings does not delay another user', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const order = await renderAtOnce([
    ['ada', ada, 40],
    ['ben', ben, 1],
  ])

  assert.ok(order.indexOf('ben') < 30, order.join())
})

test("a user and the user's bots share one turn in the rendering queue", async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bots = await Promise.all(
    Array.from({ length: 10 }, (_, at) => chat.user(`bot${at}`, { botType: 1, owner: ada })),
  )

  const order = await renderAtOnce([...bots.map((bot, at) => [`bot${at}`, bot, 4] as const), ['ben', ben, 3]])

  assert.ok(order.lastIndexOf('ben') < 25, order.join())
})

/** Renders `count` formulas for a user at once, as if the user and the user's bots sent concurrent requests. */
const renderFor = ({ id }: Person, count: number) =>
  Promise.allSettled(
    Array.from({ length: count }, (_, at) =>
      renderInWorker(formula(at).content, emptyScope, { key: id, isLimited: true }),
    ),
  )

test('only a user with too many renderings at once is asked to try again', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const [ofAda, [ofBen]] = await Promise.all([renderFor(ada, 60), renderFor(ben, 1)])

  const refusals = ofAda.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  assert.equal(refusals.length, 9)
  for (const { kind, extras } of refusals)
    assert.deepEqual([kind.status, kind.code, extras], [429, 'RATE_LIMIT_HIT', { 'retry-after': 1 }])
  assert.equal(ofBen?.status, 'fulfilled')
})

test('a scheduled message waits instead of being refused while its sender exceeds the rendering limit', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const scheduled_delivery_timestamp = chat.clock.now() + 60
  const message = { type: 'direct', to: [ada.id], content: '$$e^x$$', scheduled_delivery_timestamp }
  await ada.succeed('POST /scheduled_messages', message)

  await Promise.all([renderFor(ada, 60), chat.clock.advance(60)])

  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.match(messages[0].content, /katex/)
})
