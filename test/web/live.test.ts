import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('a page with an expired event queue registers again and catches up', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  await stage.signIn(page, ben)
  const polling = page.waitForRequest('**/json/events?*')
  await page.goto('/channels/1')
  const queueId = new URL((await polling).url()).searchParams.get('queue_id')
  await page.getByText('warmer grey').first().waitFor()

  const registering = page.waitForRequest('**/json/register')
  await ben.succeed('DELETE /events', { queue_id: queueId })
  await registering
  await sendToChannel(ada, { name: 'design' }, 'after the break', 'colours')

  await page.getByText('after the break').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a lost connection is shown, and messages written meanwhile are sent when it is back', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await page.route('**/json/**', (route) => route.abort())
  await page.getByLabel(/^Message /).fill('not lost')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('waiting for the connection').waitFor()
  await page.getByLabel(/^Message /).fill('a draft')
  await page.unroute('**/json/**')
  await sendToChannel(ada, { name: 'design' }, 'meanwhile', 'colours')
  await page.getByText('meanwhile').waitFor()

  await page.locator('.message-content', { hasText: 'not lost' }).waitFor()
  await becomes(() => page.locator('.outgoing').count(), 0)
  assert.equal(await page.getByLabel(/^Message /).inputValue(), 'a draft')
  await stage.close()
})

test('messages that are edited or deleted while they load appear as they are', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const edited = await sendToChannel(ada, { name: 'design' }, 'a tpyo', 'colours')
  const deleted = await sendToChannel(ada, { name: 'design' }, 'a slip', 'colours')
  const page = await stage.openWindow()
  await stage.signIn(page, ben)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: read, resolve: noteRead } = Promise.withResolvers<void>()
  await page.route('**/json/messages?*', async (route) => {
    const response = await route.fetch()
    if (!(await response.text()).includes('a tpyo')) return route.fulfill({ response })
    noteRead()
    await released
    await route.fulfill({ response })
  })

  const polling = page.waitForRequest('**/json/events?*')
  await page.goto('/channels/1?topic=colours')
  await read
  await polling
  const deletion = page.waitForResponse(
    async (one) => one.url().includes('/json/events') && (await one.text()).includes('"delete_message"'),
  )
  await ada.succeed(`PATCH /messages/${edited}`, { content: 'a typo' })
  await sendToChannel(ada, { name: 'design' }, 'and more', 'colours')
  await ada.succeed(`DELETE /messages/${deleted}`)
  await deletion
  release()

  const texts = page.locator('.timeline .message-content')
  await becomes(async () => (await texts.allInnerTexts()).slice(1), ['a typo', 'and more'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a response that is cut off counts as none: nothing fails, and nothing is sent twice', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  const texts = page.locator('.timeline .message-content')
  const cut: string[] = []
  const cutOff = (url: string) =>
    page.route(
      url,
      async (route) => {
        const response = await route.fetch()
        cut.push(route.request().method())
        await route.fulfill({ response, body: (await response.text()).slice(0, 20) })
      },
      { times: 1 },
    )

  await cutOff('**/json/events?*')
  // The first message may end a poll that had begun before.
  for (const text of ['one', 'two']) {
    await sendToChannel(ada, { name: 'design' }, text, 'colours')
    await page.locator('[data-message] .message-content', { hasText: text }).waitFor()
  }
  await becomes(async () => cut, ['GET'])
  await cutOff('**/json/messages')
  await page.getByLabel(/^Message /).fill('only once')
  await page.getByLabel(/^Message /).press('Control+Enter')
  await becomes(async () => cut, ['GET', 'POST'])
  await sendToChannel(ada, { name: 'design' }, 'and further', 'colours')

  await becomes(async () => (await texts.allInnerTexts()).slice(1), ['one', 'two', 'only once', 'and further'])
  await becomes(() => page.locator('.outgoing').count(), 0)
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 3, num_after: 0 })
  assert.deepEqual(
    messages.map(({ content }: { content: string }) => content),
    ['<p>two</p>', '<p>only once</p>', '<p>and further</p>'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a server that is back is noticed at its first response, and failed views reload', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const banner = page.getByText('Reconnecting…')
  await page.getByText('warmer grey').waitFor()

  await page.route('**/json/**', (route) => route.abort())
  await page.getByRole('link', { name: 'Starred' }).first().click()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await banner.waitFor()
  await page.unroute('**/json/**')

  await page.getByText('No starred messages').waitFor()
  await becomes(() => banner.count(), 0)
  await becomes(() => page.getByRole('button', { name: 'Try again' }).count(), 0)
  await stage.close()
})

test('a rate-limiting server is not shown as unreachable', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  await stage.signIn(page, ben)
  const refusal = { code: 'RATE_LIMIT_HIT', msg: 'API usage exceeded rate limit', 'retry-after': 1.5 }
  await page.route('**/json/events?*', (route) => route.fulfill({ status: 429, json: refusal }), { times: 1 })

  const refused = page.waitForResponse((response) => response.status() === 429)
  await page.goto('/channels/1')
  await refused
  await page.waitForTimeout(500)
  assert.equal(await page.getByText('Reconnecting…').count(), 0)
  await sendToChannel(ada, { name: 'design' }, 'after a moment', 'colours')

  await page.getByText('after a moment').waitFor()
  await stage.close()
})

test("a page whose user has changed says so, and does nothing in the new user's name", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await stage.signIn(page, ada)
  await page.getByLabel(/^Message /).fill('whose words?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()

  await page.getByText('Someone else has logged in with this browser').first().waitFor()
  await stage.close()
})
