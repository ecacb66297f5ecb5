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

test('a server that is back is noticed at its first response, and failed views reload', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const banner = page.getByText('Reconnecting…')
  await page.getByText('warmer grey').waitFor()

  await page.route('**/json/**', (route) => route.abort())
  await page.getByRole('link', { name: 'Recent' }).first().click()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await banner.waitFor()
  await page.unroute('**/json/**')

  await page.locator('.conversation-list').getByText('slow start').waitFor()
  await becomes(() => banner.count(), 0)
  await becomes(() => page.getByRole('button', { name: 'Try again' }).count(), 0)
  await stage.close()
})

test('a rate-limiting server is not shown as unreachable', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/')
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
