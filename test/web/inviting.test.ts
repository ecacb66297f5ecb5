import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { storeOnlyTransport } from '#mail/delivery.ts'
import { Role } from '#rules/role.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

const field = (page: Page) => page.getByLabel('Email addresses')
const tags = (page: Page) => page.locator('.tag-label').allTextContents()

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((text) => navigator.clipboard.writeText(text), text)
  await field(page).press('Control+V')
}

test('entered addresses survive the other tab, closing the dialog and a reload, until they are cancelled', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/?invite=email')
  await paste(page, 'dan@example.com, eve@example.com')
  await page.getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /Moderator/ }).click()
  await field(page).fill('half@exam')

  await page.getByRole('tab', { name: 'By link' }).click()
  await page.getByRole('tab', { name: 'By email' }).click()
  await becomes(() => tags(page), ['dan@example.com', 'eve@example.com', 'half@exam'])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.reload()
  await chooseInOrganizationMenu(page, 'Invite people')
  await page.getByRole('button', { name: /Moderator Role/ }).waitFor()
  await becomes(() => tags(page), ['dan@example.com', 'eve@example.com', 'half@exam'])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await chooseInOrganizationMenu(page, 'Invite people')
  await field(page).waitFor()

  await becomes(() => tags(page), [])
  await stage.close()
})

test('the dialog shows how many invitations are left today, and sends no more', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  Object.assign(stage.chat.app.services.settings, { INVITES_ADMINISTRATOR_DAILY_MAX: 5 })
  const page = await stage.openAs(ada, '/?invite=email')
  await page.getByText(/You can send \d+ more invitations today\./).waitFor()
  const [, left = ''] = /send (\d+) more/.exec(await page.getByRole('dialog').innerText()) ?? []
  await paste(page, Array.from({ length: Number(left) + 1 }, (_, at) => `new${at}@example.com`).join())

  await page.getByRole('button', { name: `Send ${Number(left) + 1} invitations` }).click()
  await page.locator('.field-error').getByText(`You can send ${left} more invitations today.`).waitFor()
  await field(page).press('Backspace')
  await page.getByRole('button', { name: `Send ${left} invitations` }).click()
  await page.getByRole('heading', { name: `${left} people invited` }).waitFor()
  await page.getByRole('button', { name: 'Invite more' }).click()

  await page.getByText('You’ve reached today’s limit for invitations. Try again tomorrow.').waitFor()
  await stage.close()
})

test('pasting a table keeps its email addresses and drops the rest', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/?invite=email')
  await paste(page, 'dan@example.com\tDan\tDare\nDoe, Eve <eve@example.com>\n1.\tgus@example.com\tGus\tGray')

  await page.getByRole('button', { name: 'Send 3 invitations' }).click()
  await page.getByText('Fix or remove: Dan, Dare, 1, Gus, Gray').waitFor()
  await page.getByRole('button', { name: 'Remove 5 invalid addresses' }).click()

  await becomes(() => tags(page), ['dan@example.com', 'eve@example.com', 'gus@example.com'])
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'emails')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Send 3 invitations' }).click()
  await page.getByRole('heading', { name: '3 people invited' }).waitFor()
  await stage.close()
})

test('a thousand addresses are accepted, extended and invited', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/?invite=email')
  const long = 'with.a.name.that.is.as.long.as.that.of.some.departments.are'
  await paste(page, Array.from({ length: 1000 }, (_, at) => `person.${at}.${long}@example.com`).join('\n'))
  await page.getByRole('button', { name: 'Show all 1000' }).waitFor()

  const shown = await tags(page)
  await field(page).pressSequentially('nobody@exa')
  await field(page).fill('')
  await page.getByRole('button', { name: 'Send 1,000 invitations' }).click()

  await page.getByRole('heading', { name: '1,000 people invited' }).waitFor()
  assert.ok(shown.length <= 100, `${shown.length} are shown, and drawn anew at each letter`)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a role that the user may no longer give is not kept in the form', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(cleo, '/?invite=email')
  await paste(page, 'dan@example.com')
  await page.getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /Administrator/ }).click()

  await ada.succeed(`PATCH /users/${cleo.id}`, { role: Role.member })
  await page.getByRole('button', { name: /Member Role/ }).waitFor()
  await page.getByRole('button', { name: 'Send invitation' }).click()

  await page.getByRole('heading', { name: '1 person invited' }).waitFor()
  await page.getByText('The emails are on their way.').waitFor()
  assert.equal((await ada.succeed('GET /invites')).invites[0].invited_as, Role.member)
  await stage.close()
})

test('without a mail relay, the inviter is told before sending, and copies the links afterwards', async () => {
  const stage = await openStage({ transport: storeOnlyTransport })
  const { ada, ben } = await fillExample(stage.chat)

  for (const [person, advice] of [
    [ada, 'Copy the links below, and share them yourself.'],
    [ben, 'Ask an administrator to share the links'],
  ] as const) {
    const page = await stage.openAs(person, '/?invite=email')
    await page.getByText('This server can’t send email yet').waitFor()
    await paste(page, `friend-of-${person.id}@example.com`)
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('No email was sent').waitFor()
    await page.getByText(advice).waitFor()
  }

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('emails are not shown as on their way before the server has tried to send one', async () => {
  const { promise: tried, resolve: tryNow } = Promise.withResolvers<void>()
  const send = () => tried.then(() => ({ outcome: 'kept', reply: 'No mail relay is configured' }) as const)
  const stage = await openStage({ transport: { send, close: () => {} } })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/?invite=email')
  await paste(page, 'friend@example.com')
  const checked = page.waitForResponse(/\/invites\/deliveries/)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('heading', { name: '1 person invited' }).waitFor()
  await checked

  await becomes(() => page.getByText('The emails are on their way.').count(), 0)
  tryNow()

  await page.getByText('No email was sent').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('no other channels are offered if all of them are default channels', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  for (const { stream_id, invite_only } of (await ada.succeed('GET /streams')).streams)
    if (invite_only) await ada.succeed(`DELETE /streams/${stream_id}`)
    else await ada.succeed('POST /default_streams', { stream_id })

  const page = await stage.openAs(ada, '/?invite=email')

  const form = page.getByRole('tabpanel', { name: 'By email' })
  await form.getByText('There are no other channels.').waitFor()
  await form.getByText('Default channels').click()
  await form.getByRole('combobox', { name: 'Other channels' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the first field has the focus, and administrators copy the link of each result', async () => {
  const stage = await openStage({ transport: storeOnlyTransport })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/?invite=email')
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'emails')

  await page.keyboard.type('friend@example.com,')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('button', { name: 'Copy link for friend@example.com' }).click()
  await page.getByText('Link for friend@example.com copied').waitFor()

  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\/accounts\/do_confirm\//)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the menu copies a link with which members join, and the same link again', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const copied = async () => {
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await chooseInOrganizationMenu(page, 'Copy invitation link')
    await becomes(async () => (await clipboard()) !== '', true)
    return clipboard()
  }

  const [first, second] = [await copied(), await copied()]

  const { invites } = await ada.succeed('GET /invites')
  const links = invites.filter(({ is_multiuse }: { is_multiuse: boolean }) => is_multiuse)
  assert.deepEqual([first, second], [links[0].link_url, links[0].link_url])
  assert.equal(links.length, 1)
  assert.equal(links[0].invited_as, Role.member)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
