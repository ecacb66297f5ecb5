import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { BotType } from '#rules/role.ts'
import { PASSWORD, submitPassword } from '../browser.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { pressCopy } from './press-copy.ts'
import { openStage, type Stage } from './stage.ts'

const ping = { zen: 'Keep it logically awesome.', sender: { login: 'ada' }, repository: { name: 'engine' } }

/** Posts an event as GitHub does, to the URL that the user copied. */
async function deliver({ chat }: Stage, url: string, event = 'ping', payload: object = ping, secret = '') {
  const { pathname, search } = new URL(url)
  const body = JSON.stringify(payload)
  const headers = {
    ...{ host: 'localhost', 'content-type': 'application/json', 'x-github-event': event },
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  return chat.request({ method: 'POST', path: pathname + search, headers, body })
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'GitHub' })

async function choose(within: Locator, field: string, option: string): Promise<void> {
  await within.getByRole('button', { name: field }).click()
  await within.page().getByRole('option', { name: option, exact: true }).click()
}

const addressIn = (within: Locator) => within.getByLabel('Paste this address into GitHub').inputValue()

test('a member connects GitHub from the menu of a channel, and sees deliveries with their answers', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByRole('button', { name: 'Actions for channel design' }).click()
  await page.getByRole('menuitem', { name: 'Add integration…' }).click()
  await page.getByRole('searchbox', { name: 'Search services' }).fill('github')
  await page.getByRole('link', { name: /^GitHub Pushes/ }).click()
  const github = panel(page)
  await becomes(
    () => github.getByRole('heading', { name: 'GitHub' }).evaluate((one) => one === document.activeElement),
    true,
  )
  await github.getByRole('button', { name: 'Send a test message' }).click()
  await github.getByText('Create the bot and the address first.').waitFor()

  await github.getByRole('button', { name: 'Create bot and address' }).click()
  const whole = await github
    .getByLabel('Paste this address into GitHub')
    .waitFor()
    .then(() => addressIn(github))
  await pressCopy(github.getByRole('button', { name: 'Copy address' }))
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  await deliver(stage, whole)
  await github.getByRole('button', { name: 'Show all' }).click()
  await github.getByRole('button', { name: 'Issues', exact: true }).click()
  await github.getByLabel('Topic').fill('tickets')
  const chosen = await addressIn(github)
  await deliver(stage, chosen)
  await deliver(stage, chosen, 'issues', { action: 1 })
  await stage.chat.clock.advance(60)

  assert.equal(copied, whole)
  assert.equal(new URL(whole).searchParams.get('stream'), '1')
  assert.deepEqual([...new URL(whole).searchParams.keys()], ['api_key', 'stream'])
  assert.equal(new URL(chosen).searchParams.get('only_events'), '["issues"]')
  assert.equal(new URL(chosen).searchParams.get('topic'), 'tickets')
  await page.reload()
  const rows = github.getByRole('listitem')
  await github.getByText('Refused', { exact: true }).waitFor()
  await github.getByText('Left out', { exact: true }).waitFor()
  await rows
    .filter({ hasText: 'Posted' })
    .getByRole('button', { name: /show message/ })
    .click()
  await page.getByText('GitHub webhook is set up').first().waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a test message is sent, a delivery is sent again, and a secret is set', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const bot = await stage.chat.user('hook-bot', { fullName: 'GitHub', botType: BotType.incomingWebhook, owner: ben })
  const url = `${stage.url}/api/v1/external/github?api_key=${bot.apiKey}&stream=design`
  await deliver(stage, url)
  const page = await stage.openAs(ben, '/add-integration?service=github')
  const github = panel(page)
  await github.getByText('Posted').waitFor()

  await github.getByRole('button', { name: 'Send a test message' }).click()
  await github.getByText('Choose where the messages go.').waitFor()
  await choose(github, 'Channel', 'engines')
  await github.getByRole('button', { name: 'Send a test message' }).click()
  await github.getByText('The test message was sent.').waitFor()
  await becomes(() => github.getByText('Posted').count(), 2)
  await github.getByRole('button', { name: /^Send again/ }).click()
  await page.getByText('Sent again').first().waitFor()
  await becomes(() => github.getByText('Posted').count(), 3)
  await github.getByLabel('Secret', { exact: true }).fill('hunter2')
  await github.getByRole('button', { name: 'Save' }).click()
  await github.getByText('A secret is set.').waitFor()
  const wronglySigned = await deliver(stage, url, 'ping', ping, 'hunter3')
  const signed = await deliver(stage, url, 'ping', ping, 'hunter2')
  await github.getByRole('button', { name: 'Remove secret' }).click()
  await page.getByText('Secret removed').waitFor()
  await github.getByRole('button', { name: 'Create address' }).click()
  await github.getByLabel('Paste this address into GitHub').waitFor()
  const withBothKeys = [await deliver(stage, url), await deliver(stage, await addressIn(github))]
  await github.getByRole('button', { name: 'Show message', exact: true }).click()

  await page.getByRole('heading', { level: 1 }).waitFor()
  await becomes(async () => new URL(page.url()).pathname, '/channels/2')
  assert.deepEqual([wronglySigned.status, signed.status], [400, 200])
  assert.deepEqual(
    withBothKeys.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('services are found by name and category, and the panel closes by keyboard', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/add-integration')
  const cards = page.getByRole('list', { name: 'Services' }).getByRole('link')
  const search = page.getByRole('searchbox', { name: 'Search services' })
  await cards.first().waitFor()
  const all = await settles(() => cards.count())

  await page.getByRole('button', { name: 'Monitoring' }).click()
  await becomes(async () => (await cards.count()) < all, true)
  const monitoring = await settles(() => cards.count())
  await search.fill('zebra')
  await page.getByText('No matching services').waitFor()
  await page.getByRole('button', { name: /^Show all/ }).click()
  await becomes(() => cards.count(), all)
  await search.fill('grafanna')
  await cards.first().filter({ hasText: 'Grafana' }).focus()
  await page.keyboard.press('Enter')
  const grafana = page.getByRole('complementary', { name: 'Grafana' })
  await grafana.getByText('How it looks').waitFor()
  await page.keyboard.press('Escape')
  await grafana.waitFor({ state: 'detached' })

  assert.ok(monitoring > 0)
  await becomes(() => cards.first().evaluate((card) => card === document.activeElement), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('10 minutes after the login, a new bot needs the password; if its email address is taken, it gets a number', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  await ben.succeed('POST /bots', { full_name: 'Dashboards', short_name: 'grafana' })
  const page = await stage.openAs(ben, '/add-integration?service=grafana&channel=1')
  const grafana = page.getByRole('complementary', { name: 'Grafana' })
  const create = grafana.getByRole('button', { name: 'Create bot and address' })
  await create.waitFor()
  await stage.chat.clock.advance(601)

  await create.click()
  await grafana.getByLabel('Current password').waitFor()
  await create.click()
  await grafana.getByText('Enter your current password.').waitFor()
  await grafana.getByLabel('Current password').fill(PASSWORD)
  await create.click()
  await grafana.getByLabel('Paste this address into Grafana').waitFor()

  const { bots } = await ben.succeed('GET /bots')
  const names = bots.map(({ full_name, username }: Record<string, string>) => [full_name, username?.split('@')[0]])
  assert.deepEqual(names.sort(), [
    ['Dashboards', 'grafana-bot'],
    ['Grafana', 'grafana-2-bot'],
  ])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users who may not create bots see why, and what to do', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await stage.chat.change({
    can_create_bots_group: 'role:administrators',
    can_create_write_only_bots_group: 'role:administrators',
  })
  const page = await stage.openAs(ben, '/add-integration?service=github')

  await panel(page).getByText('GitHub posts as a bot. Ask an administrator to connect it').waitFor()
  await panel(page).getByText('Bots can be created by: Administrators').waitFor()
  assert.equal(await panel(page).getByRole('button', { name: 'Create bot and address' }).count(), 0)
  await stage.close()
})

test('on a phone, the panel fills the screen, and goes back to the list', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/add-integration', { width: 390, height: 800 })

  await page.getByRole('link', { name: /^GitHub Pushes/ }).click()
  const dialog = page.getByRole('dialog', { name: 'GitHub' })
  await dialog.getByRole('button', { name: 'Create bot and address' }).waitFor()
  const { width } = (await dialog.boundingBox())!
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })

  assert.ok(width >= 388)
  await becomes(async () => new URL(page.url()).search, '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
