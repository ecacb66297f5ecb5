import assert from 'node:assert/strict'
import { becomes, settles } from './becomes.ts'
import { activate, chooseFromMenu, focused, focusReturnsTo, tabTo, untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

test('inviting, writing and hiding availability work by keyboard', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1')
  const { keyboard } = page
  await page.getByText('warmer grey').waitFor()

  await keyboard.press('Tab')
  await becomes(() => focused(page), 'Skip to content')
  await keyboard.press('Enter')
  await becomes(() => page.evaluate(() => document.activeElement?.id), 'main')
  await tabTo(page, /^Message /)
  await keyboard.type('typed by hand')
  await keyboard.press('Shift+Tab')
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'topic')
  await keyboard.type('keys')
  await tabTo(page, /^Message /)
  await keyboard.press('Control+Enter')
  await page.locator('.message-content', { hasText: 'typed by hand' }).waitFor()

  await chooseFromMenu(page, /organization menu$/, /^Invite people$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^Email addresses$/)
  await keyboard.type('dan@example.com,')
  await activate(page, /^Send invitation$/)
  await page.getByRole('heading', { name: '1 person invited' }).waitFor()
  await activate(page, /^Done$/)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusReturnsTo(page, 'Example: organization menu')

  await chooseFromMenu(page, /account menu$/, /^Availability$/)
  await page.getByRole('heading', { name: 'Availability', level: 1 }).waitFor()
  await page.locator('.seen-person', { hasText: 'Active' }).waitFor()
  await page.evaluate(() => document.querySelector<HTMLElement>('#main')?.focus())
  await tabTo(page, /Show my availability/)
  await keyboard.press('ArrowDown')
  await page.locator('.seen-person', { hasText: 'Offline' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a text field has a ring for the keyboard only', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/settings/profile')
  const name = page.getByLabel('Name', { exact: true })
  const ring = () => name.evaluate((field) => getComputedStyle(field).outlineStyle)

  await name.click()
  await becomes(ring, 'none')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await becomes(ring, 'solid')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a revoked invitation can be restored, even while the toast has the focus', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('POST /invites', { invitee_emails: 'dan@example.com', stream_ids: [] })
  const page = await stage.openAs(ada, '/invitations')
  const row = page.getByRole('row', { name: /dan@example\.com/ })
  await row.waitFor()

  await chooseFromMenu(page, /^Actions for dan@example\.com$/, /^Revoke$/)
  await row.waitFor({ state: 'detached' })
  // The toast stays below the pointer, however long the keys take.
  await page.locator('.toast').hover()
  await activate(page, /^Undo$/)

  await row.waitFor()
  assert.equal((await ada.succeed('GET /invites')).invites.length, 1)
  await stage.close()
})

test('a dialog opens over the current page, and closing it keeps the scroll position', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const emails = Array.from({ length: 20 }, (_, at) => `person-${at}@example.com`).join(',')
  await ada.succeed('POST /invites', { invitee_emails: emails, stream_ids: [] })
  const page = await stage.openAs(ada, '/outbox')
  // Positions differ by fractions of a pixel.
  const place = () =>
    page.evaluate(() => [location.pathname, Math.round((document.querySelector('main .page')?.scrollTop ?? 0) / 8)])
  const last = page.getByRole('button', { name: /^person-0@example\.com Invitation (?!reminder)/ })
  await last.focus()
  const before = await settles(place)

  await page.keyboard.press('Enter')
  await untilFocusIn(page, '[role="dialog"]')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await becomes(place, before)
  await chooseInOrganizationMenu(page, 'Invite people')
  await untilFocusIn(page, '[role="dialog"]')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await becomes(place, before)
  assert.ok(Number(before[1]) > 12, String(before))
  await stage.close()
})
