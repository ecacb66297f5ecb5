import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('only users with permission rename and archive a channel, and errors are shown at their field', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1/settings/general')
  const name = page.getByLabel('Name')

  await name.fill('engines')
  await name.press('Enter')
  await page.getByText('Channel name is already in use.').waitFor()
  await name.fill('sketches')
  await name.press('Enter')
  await page.getByText('Saved').waitFor()
  await button(page, /^Archive sketches/).click()
  await button(page, 'Archive channel').click()
  await page.getByText('This channel is archived').waitFor()

  const { stream } = await ada.succeed('GET /streams/1')
  assert.deepEqual([stream.name, stream.is_archived], ['sketches', true])
  const other = await stage.openAs(ben, '/channels/2/settings/general')
  await other.getByText('What runs underneath').waitFor()
  await becomes(() => other.getByRole('textbox').count(), 0)
  await becomes(() => button(other, /^Archive/).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('personal channel settings are saved, shown immediately, and reverted if the server refuses', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1/settings/personal')
  const box = (name: RegExp) => page.getByRole('checkbox', { name })

  await page.getByText('Pin channel to top').click()
  await page.getByText('Teal').locator('..').click()
  await page.getByText('Push notifications').click()
  await page.waitForFunction(() => document.querySelectorAll('input:checked').length >= 3)
  const own = async () => (await ben.succeed('GET /users/me/subscriptions')).subscriptions[0]
  await becomes(
    async () => {
      const { pin_to_top, color, push_notifications } = await own()
      return { pin_to_top, color, push_notifications }
    },
    { pin_to_top: true, color: '#2f9e9a', push_notifications: true },
  )

  await page.route('**/json/users/me/subscriptions/properties', (route) =>
    route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', msg: 'Not subscribed to channel ID 1' } }),
  )
  await page.getByText('Mute channel').click()
  await page.getByText('Not subscribed to channel ID 1').waitFor()

  await becomes(() => box(/Mute channel/).isChecked(), false)
  await becomes(() => box(/Pin channel/).isChecked(), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a channel permission is given to a group or to specific users, and shows its current value', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const made = await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [ben.id] })
  const page = await stage.openAs(ada, '/channels/1/settings/permissions')
  const open = (label: string) =>
    page
      .getByRole('button', { name: new RegExp(`${label}`) })
      .first()
      .click()
  const setting = async (name: string) => (await ada.succeed('GET /streams/1')).stream[name]

  await open('Who can post')
  await page.getByRole('option', { name: 'makers' }).click()
  await page.getByText('Saved').waitFor()
  assert.equal(await setting('can_send_message_group'), made.group_id)

  await open('Who can add subscribers')
  await page.getByRole('option', { name: 'Specific people and groups' }).click()
  const field = page.getByRole('combobox', { name: 'Who can add subscribers?' })
  for (const [typed, name] of [
    ['cleo', /Cleo/],
    ['mak', /makers/],
  ] as const) {
    // Lists close when the page scrolls to their field.
    await field.click()
    await field.fill(typed)
    await page.getByRole('option', { name }).click()
  }
  await button(page, 'Save').click()
  await button(page, 'Save').waitFor({ state: 'detached' })
  const chosen = { direct_members: [cleo.id], direct_subgroups: [made.group_id] }
  await becomes(() => setting('can_add_subscribers_group'), chosen)

  const other = await stage.openAs(ben, '/channels/1/settings/permissions')
  await other.getByText('Cleo Hopper, makers').waitFor()
  await ada.succeed('PATCH /streams/1', { can_add_subscribers_group: JSON.stringify({ new: made.group_id }) })
  await other.getByText('Cleo Hopper, makers').waitFor({ state: 'detached' })
  await becomes(() => other.getByRole('combobox').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('making a channel private needs a save, and is refused for default channels', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1/settings/permissions')
  const isPrivate = async () => (await ada.succeed('GET /streams/1')).stream.invite_only

  await page.getByText('Add everyone who joins').click()
  await page.getByText('New users are now added to #design').waitFor()
  await page.getByText('Private, protected history').click()
  await page.getByText('Others will no longer find it.').waitFor()
  assert.equal(await isPrivate(), false)
  await button(page, 'Save').click()
  await page.getByText('A default channel cannot be private.', { exact: true }).waitFor()
  await page.getByText('Add everyone who joins').click()
  await page.getByText('New users are no longer added to #design').waitFor()
  await button(page, 'Save').click()
  await page.getByText('#design is now private, protected history').waitFor()

  assert.equal(await isPrivate(), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a channel links to its settings, can be joined in place, and is read-only when archived', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const dora = await stage.chat.user('dora', { fullName: 'Dora' })
  const page = await stage.openAs(dora, '/channels/2')

  await page.getByText('You’re not subscribed to #engines.').waitFor()
  await button(page, 'Join engines').click()
  await page.getByRole('form', { name: 'New message' }).waitFor()
  await page.getByRole('button', { name: 'Actions for channel engines' }).click()
  await page.getByRole('menuitem', { name: 'Channel settings' }).click()
  await page.getByRole('table', { name: 'People in engines' }).getByText('Dora').first().waitFor()
  await page.goto('/channels/2/settings')
  await page.waitForURL('**/channels/2/settings/general')
  await page.goto('/channels/2')
  await page.getByRole('form', { name: 'New message' }).waitFor()
  await ada.succeed('DELETE /streams/2')
  await page.getByText('This channel is archived').waitFor()

  await becomes(() => page.getByRole('form', { name: 'New message' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the email address of a channel is shown with its sender and options, and is replaced after a question', async () => {
  const stage = await openStage({ settings: { MAIL_IN_DOMAIN: 'in.example.com' } })
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/2/settings/general')
  const address = page.getByRole('dialog').locator('code')
  const becomesAnother = async (before: string) => {
    await becomes(async () => (await address.textContent()) !== before && (await address.textContent()) !== '', true)
    return (await address.textContent()) ?? ''
  }

  await button(page, 'Get an email address…').click()
  const first = await becomesAnother('')
  await page.getByText('Keep quoted emails').click()
  const withQuotes = await becomesAnother(first)
  await page.getByRole('button', { name: /^Email Gateway/ }).click()
  await page.getByRole('option', { name: /\(you\)$/ }).click()
  const asBen = await becomesAnother(withQuotes)
  await button(page, 'Generate a new address…').click()
  assert.equal(await page.getByText('Also delete all other addresses').count(), 0)
  await button(page, 'Generate a new address').click()
  const replaced = await becomesAnother(asBen)
  const other = await stage.openAs(ada, '/channels/2/settings/general')
  await button(other, 'Get an email address…').click()
  await button(other, 'Generate a new address…').click()
  await other.getByText('Also delete all other addresses').click()
  await button(other, 'Generate a new address').click()
  await becomes(() => button(other, 'Generate a new address').count(), 0)

  assert.match(first, /^[a-z-]+\.[a-z2-7]{26}\.show-sender@in\.example\.com$/)
  assert.match(withQuotes, /\.show-sender\.include-quotes@/)
  const { email: afterAll } = await ben.succeed('GET /streams/2/email_address', { sender_id: ben.id })
  assert.notEqual(afterAll.split('.')[1], replaced.split('.')[1])
  assert.equal(new Set([first, withQuotes, asBen, replaced].map((one) => one.split('.')[1])).size, 3)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
