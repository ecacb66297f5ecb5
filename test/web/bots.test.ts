import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { PASSWORD, submitPassword } from '../browser.ts'
import { allowsLoopback, createWebhookBot, startWebhookReceiver, status } from '../webhook-receiver.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

async function act(page: Page, name: string, what: string): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: what }).click()
}

test('a bot is created, used, gets a new key, is deactivated and reactivated', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/bots')
  const signsIn = async (email: string, key: string) => {
    const headers = { authorization: `Basic ${btoa(`${email}:${key}`)}`, host: 'localhost' }
    return (await stage.chat.request({ method: 'GET', path: '/api/v1/users/me', headers })).status === 200
  }
  const shownKey = async () => (await page.locator('.key-shown').innerText()).trim()

  await page.getByText('No bots').waitFor()
  await page.getByRole('button', { name: 'New bot' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Build Bot')
  await page.getByText('Email address: build-bot@localhost').waitFor()
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByText('This key is only shown once').waitFor()
  const first = await shownKey()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download zuliprc' }).click(),
  ])
  const zuliprc = await readFile(await download.path(), 'utf8')
  const email = /^email=(.*)$/m.exec(zuliprc)?.[1] ?? ''
  const works = await signsIn(email, first)
  await page.getByRole('button', { name: 'Done' }).click()

  await act(page, 'Build Bot', 'New API key')
  await page.getByRole('button', { name: 'Generate new key' }).click()
  await page.getByText('This key is only shown once').waitFor()
  const second = await shownKey()
  await page.getByRole('button', { name: 'Done' }).click()
  const keys = [await signsIn(email, first), await signsIn(email, second)]

  await act(page, 'Build Bot', 'Edit')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ben Bitdiddle')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Name is already in use').first().waitFor()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Builder')
  await page.getByRole('button', { name: 'Save' }).click()
  await act(page, 'Builder', 'Deactivate')
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('button', { name: 'Reactivate Builder' }).waitFor()
  const whileEnded = await signsIn(email, second)
  await page.getByRole('button', { name: 'Reactivate Builder' }).click()
  await page.getByRole('button', { name: 'Actions for Builder' }).waitFor()

  assert.equal(works, true)
  assert.deepEqual(keys, [false, true])
  assert.equal(whileEnded, false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the URL and format of an outgoing webhook are chosen and changed, with errors at their fields', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/bots')
  const format = async () => (await ben.succeed('GET /bots')).bots[0].services[0].interface

  await page.getByRole('button', { name: 'New bot' }).click()
  await page.getByText('Outgoing webhook', { exact: true }).click()
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByText('Enter a name.').first().waitFor()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Echo')
  await page.getByLabel('Endpoint URL').fill('ftp://example.com/x')
  await page.getByRole('button', { name: 'Create bot' }).click()
  const wrongUrl = page.getByText('Enter a URL that begins with https:// or http://.')
  await wrongUrl.waitFor()
  await page.getByLabel('Endpoint URL').fill('https://example.com/hook')
  await wrongUrl.waitFor({ state: 'detached' })
  await page.getByText('Slack-compatible').click()
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Calls https://example.com/hook').waitFor()
  const created = await format()
  await act(page, 'Echo', 'Edit')
  await page.getByText('JSON', { exact: true }).click()
  await page.getByLabel('Endpoint URL').fill('https://example.com/other')
  await page.getByRole('button', { name: 'Save' }).click()

  await page.getByText('Calls https://example.com/other').waitFor()
  assert.deepEqual([created, await format()], [2, 1])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('commands of a bot are completed in the compose box, and its deliveries can be sent again', async () => {
  const stage = await openStage({ settings: allowsLoopback })
  const { ben } = await fillExample(stage.chat)
  const receiver = await startWebhookReceiver()
  receiver.behave(status(500))
  await createWebhookBot(ben, receiver.url)
  const page = await stage.openAs(ben, '/settings/bots')

  await act(page, 'Hook', 'Commands')
  await page.getByLabel('Command', { exact: true }).fill('/poll')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This is a built-in command.').waitFor()
  await page.getByLabel('Command', { exact: true }).fill('/deploy')
  await page.getByLabel('Usage hint').fill('[environment]')
  await page.getByLabel('Description').fill('Deploys the website')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Commands saved').waitFor()

  await page.goto('/channels/1')
  await page.getByText('warmer grey').waitFor()
  await page.getByLabel(/^Message/).click()
  await page.keyboard.type('/dep')
  await page.getByRole('option', { name: '/deploy [environment]' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('staging')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Failure! Third party responded with 500').waitFor()

  await page.goto('/settings/bots')
  await act(page, 'Hook', 'Deliveries')
  await page.getByText("The bot's server responded with status 500.").waitFor()
  receiver.behave({ content: 'deployed' })
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Answered').waitFor()
  await page.getByRole('button', { name: 'Command' }).first().click()
  await page.locator('.message-content', { hasText: 'deployed' }).waitFor()

  assert.deepEqual(
    receiver.payloads().map(({ command }) => command),
    Array(2).fill({ name: 'deploy', text: 'staging' }),
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("users who can't create bots see a notice and their existing bots", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('POST /bots', { full_name: 'Old', short_name: 'old' })
  await stage.chat.change({
    can_create_bots_group: 'role:administrators',
    can_create_write_only_bots_group: 'role:administrators',
  })
  const page = await stage.openAs(ben, '/settings/bots')

  await page.getByText('You don’t have permission to create bots').waitFor()

  await becomes(() => page.getByRole('button', { name: 'New bot' }).count(), 0)
  await page.getByText('old-bot@').waitFor()
  await stage.close()
})

test('10 minutes after the login, dialogs about bots ask for the password, and explain a wrong one', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  const page = await stage.openAs(ben, '/settings/bots')
  await page.getByText('No bots').waitFor()
  await stage.chat.clock.advance(601)
  const password = page.getByLabel('Current password')

  await page.getByRole('button', { name: 'New bot' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Build Bot')
  const hadField = await password.count()
  await page.getByRole('button', { name: 'Create bot' }).click()
  await password.waitFor()
  await becomes(() => password.evaluate((field) => field === document.activeElement), true)
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByText('Enter your current password.').waitFor()
  await password.fill('wrong horse')
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByText('Wrong password!').waitFor()
  await password.fill(PASSWORD)
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByText('This key is only shown once').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()

  await act(page, 'Build Bot', 'New API key')
  await page.getByRole('button', { name: 'Generate new key' }).click()
  await password.fill(PASSWORD)
  await page.getByRole('button', { name: 'Generate new key' }).click()
  await page.getByText('This key is only shown once').waitFor()

  assert.equal(hadField, 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
