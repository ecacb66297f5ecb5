import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

const channelsOf = async (person: Person): Promise<string[]> =>
  (await person.succeed('GET /users/me/subscriptions')).subscriptions.map(({ name }: { name: string }) => name).sort()

test('a user without channels is led to available ones, joins one, and can undo leaving it', async () => {
  const stage = await openStage()
  await fillExample(stage.chat)
  const dora = await stage.chat.user('dora', { fullName: 'Dora' })
  const page = await stage.openAs(dora, '/')

  await page.getByRole('link', { name: 'Browse channels' }).click()
  await button(page, 'Join design').click()
  await page.getByText('You joined #design').waitFor()
  assert.deepEqual(await channelsOf(dora), ['design'])
  await becomes(() => button(page, 'Join board').count(), 0)

  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Leave design')
  await button(page, 'Leave design').click()
  await page.getByText('You left #design').waitFor()
  await button(page, 'Undo').click()
  await button(page, 'Leave design').waitFor()

  await becomes(() => channelsOf(dora), ['design'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('channel descriptions are rendered everywhere and follow changes', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels')
  const { stream_id } = await ada.succeed('GET /get_stream_id', { stream: 'design' })

  await ada.succeed(`PATCH /streams/${stream_id}`, { description: 'Icons, **all** of them' })
  const about = page.locator(':is(.browser-about, .chat-header-about) strong', { hasText: 'all' })
  await about.waitFor()
  await page.goto(`/channels/${stream_id}`)
  await about.waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('leaving a private channel asks for confirmation', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'board' }], principals: [ben.id] })
  const page = await stage.openAs(ben, '/channels')

  await button(page, 'Leave board').click()
  await page.getByText('You can’t rejoin on your own').waitFor()
  await button(page, 'Cancel').click()
  assert.ok((await channelsOf(ben)).includes('board'))
  await button(page, 'Leave board').click()
  await button(page, 'Leave channel').click()
  await page.getByText('You left #board').waitFor()

  assert.ok(!(await channelsOf(ben)).includes('board'))
  await becomes(() => button(page, 'Undo').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the channel list follows events: new, renamed, archived and private channels', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels?show=available')
  await page.getByText('You’ve joined every channel available to you.').waitFor()

  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'random' }] })
  await button(page, 'Join random').waitFor()
  const id = (await ada.succeed('GET /get_stream_id', { stream: 'random' })).stream_id
  await ada.succeed(`PATCH /streams/${id}`, { new_name: 'chatter', description: 'Whatever comes' })
  await button(page, 'Join chatter').waitFor()
  await page.getByText('Whatever comes').waitFor()
  await ada.succeed(`PATCH /streams/${id}`, { is_private: true })
  await button(page, 'Join chatter').waitFor({ state: 'detached' })
  await ada.succeed(`PATCH /streams/${id}`, { is_private: false })
  await button(page, 'Join chatter').waitFor()
  await ada.succeed(`DELETE /streams/${id}`)
  await button(page, 'Join chatter').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Archived 1' }).click()

  await page.getByRole('listitem').filter({ hasText: 'chatter' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a channel is created with users, a group and another channel's subscribers, and the form survives a reload", async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const dora = await stage.chat.user('dora', { fullName: 'Dora' })
  const emil = await stage.chat.user('emil', { fullName: 'Emil' })
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [dora.id] })
  const page = await stage.openAs(ben, '/channels')
  const people = page.getByRole('combobox', { name: 'Add people' })
  const pick = async (typed: string, option: RegExp) => {
    await people.fill(typed)
    await page.getByRole('option', { name: option }).click()
  }

  await page.getByRole('link', { name: 'Create channel' }).click()
  await page.getByLabel('Description').fill('What comes next')
  await people.fill('mak')
  await page.getByRole('option', { name: /makers/ }).waitFor()
  await people.press('Enter')
  await page.getByRole('row', { name: /makers/ }).waitFor()
  await people.fill('zebra')
  await page.getByText('No matches').waitFor()
  await people.press('Enter')
  await becomes(() => people.inputValue(), 'zebra')
  await pick('engines', /engines/)
  await page.evaluate((text) => navigator.clipboard.writeText(text), `Emil <${emil.email}>, nobody@example.org`)
  await people.press('Control+V')
  await page.getByText('no account').waitFor()
  await page.getByText('Private, shared history').click()
  await page.reload()
  await button(page, 'Create channel').click()
  await page.getByText('Enter a name.').first().waitFor()
  await page.getByLabel('Name').fill('Board')
  await page
    .getByRole('row', { name: /nobody@example\.org/ })
    .getByRole('button')
    .click()
  await button(page, 'Create channel').click()
  await page.getByText('Unable to access channel (board).').waitFor()
  await page.getByLabel('Name').fill('plans')
  await button(page, 'Create channel').click()
  await page.getByText('#plans created').waitFor()
  await page.getByRole('heading', { name: 'plans', level: 1 }).waitFor()
  await page.waitForURL(/\/channels\/\d+$/)

  const made = await ben.succeed('GET /streams', { include_all: true })
  const plans = made.streams.find(({ name }: { name: string }) => name === 'plans')
  const { subscribers } = await ben.succeed(`GET /streams/${plans.stream_id}/members`)
  assert.deepEqual(
    subscribers,
    [ada, ben, cleo, dora, emil].map(({ id }) => id),
  )
  assert.partialDeepStrictEqual(plans, {
    description: 'What comes next',
    invite_only: true,
    history_public_to_subscribers: true,
  })
  await page.goto('/channels/new')
  await becomes(() => page.getByLabel('Description').inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("guests only see their channels, and can't join or create any", async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const gus = await stage.chat.user('gus', { role: Role.guest, fullName: 'Gus Guest' })
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [gus.id] })
  const page = await stage.openAs(gus, '/channels')

  await button(page, 'Leave design').click()
  await page.getByText('You can’t rejoin on your own').waitFor()
  await button(page, 'Cancel').click()

  await becomes(() => page.getByRole('listitem').filter({ hasText: 'engines' }).count(), 0)
  await becomes(() => page.getByRole('link', { name: 'Create channel' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the creator of a public channel chooses if it is announced', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const hall = await stage.chat.channel('hall', [ada, ben])
  await ada.succeed('PATCH /realm', { new_stream_announcements_stream_id: hall.id })
  const page = await stage.openAs(ben, '/channels/new')
  const announced = async () =>
    (
      await ada.succeed('GET /messages', {
        anchor: 'newest',
        num_before: 9,
        num_after: 0,
        narrow: [{ operator: 'channel', operand: hall.id }],
      })
    ).messages.length

  await page.getByRole('textbox', { name: 'Name' }).fill('attic')
  await page.getByText('Announce the channel in #hall', { exact: true }).click()
  await page.getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'attic' }).waitFor()
  assert.equal(await announced(), 0)

  await page.goto('/channels/new')
  await page.getByRole('textbox', { name: 'Name' }).fill('cellar')
  await page.getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'cellar' }).waitFor()
  await becomes(announced, 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
