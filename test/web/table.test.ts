import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { accept, keyOfInvitation } from '../joining.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const inviteMany = (person: Person, count: number) =>
  person.succeed('POST /invites', {
    invitee_emails: Array.from({ length: count }, (_, at) => `person-${at}@example.com`).join(','),
    stream_ids: [],
  })

async function withdraw(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${email}` }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
}

test('hundreds of invitations are shown in parts, and revoked as fast as the rate limit allows', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await inviteMany(ada, 120)
  const page = await stage.openAs(ada, '/invitations')
  await page.getByRole('button', { name: 'Show more (50 of 120)' }).click()
  await page.getByRole('button', { name: 'Show more (100 of 120)' }).waitFor()
  const refusal = { code: 'RATE_LIMIT_HIT', msg: 'API usage exceeded rate limit', 'retry-after': 0.5 }
  const refuse = { status: 429, json: refusal }
  await page.route('**/json/invites/*', (route) => route.fulfill(refuse), { times: 6 })

  await page.locator('thead .checkbox').click()
  await page.getByText('120 selected').waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Dismiss' }).click()

  await page.getByText('120 invitations revoked').waitFor()
  assert.deepEqual((await ada.succeed('GET /invites')).invites, [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('invitations are revoked even if the user logs out immediately', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await inviteMany(ada, 1)
  const page = await stage.openAs(ada, '/invitations')

  await withdraw(page, 'person-0@example.com')
  await page.getByText('Revoking person-0@example.com').waitFor()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()

  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual((await ada.succeed('GET /invites')).invites, [])
  await stage.close()
})

test('invitations being revoked stay hidden on other pages, and the focus moves to the next row', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await inviteMany(ada, 3)
  const page = await stage.openAs(ada, '/invitations')

  await withdraw(page, 'person-1@example.com')
  // The revocation can be undone as long as the pointer is on the notification.
  await page.getByRole('button', { name: 'Undo' }).hover()
  await page.getByRole('row', { name: /person-1/ }).waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.closest('tr')?.textContent?.includes('person-0'))
  await page.getByRole('link', { name: /^Inbox/ }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.goBack()
  await page.getByRole('row', { name: /person-0/ }).waitFor()

  await becomes(() => page.getByRole('row', { name: /person-1/ }).count(), 0)
  await stage.close()
})

test('on phones, the table becomes cards with "Select all", and used invitations show no expiry', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await accept(stage.chat, await keyOfInvitation(stage.chat, ada, 'joined@example.com'))
  await inviteMany(ada, 2)
  const page = await stage.openAs(ada, '/invitations', { width: 360 })
  const card = page.getByRole('row', { name: /person-1/ })
  const startOf = async (text: RegExp) => (await card.getByText(text).boundingBox())?.x

  await page.getByText('Select all 2 pending').click()
  await page.getByText('2 selected').waitFor()

  const starts = [await startOf(/^in 10 days$/), await startOf(/2030, 10:00\sam$/i)]
  const badge = await card.locator('.badge').boundingBox()
  assert.equal(new Set([...starts, badge?.x]).size, 1)
  const joined = await page.getByRole('row', { name: /joined@example\.com/ }).innerText()
  assert.doesNotMatch(joined, /in 10 days/)
  await stage.close()
})

test('in forced colors, only checked boxes have a check mark', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await inviteMany(ada, 2)
  const page = await stage.openAs(ada, '/invitations')
  await page.emulateMedia({ forcedColors: 'active' })

  await page.locator('tbody .checkbox').first().click()

  const ticks = page.locator('tbody .checkbox .icon')
  await becomes(async () => [await ticks.nth(0).isVisible(), await ticks.nth(1).isVisible()], [true, false])
  await stage.close()
})
