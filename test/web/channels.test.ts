import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import type { Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
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

  assert.deepEqual(await channelsOf(dora), ['design'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a channel without messages is ready to be written to', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await stage.chat.channel('harbor', [ada])
  const page = await stage.openAs(ada, '/inbox')
  const isWriting = () => page.evaluate(() => document.activeElement?.matches('textarea') === true)

  await page.getByRole('link', { name: 'harbor' }).first().click()
  await page.getByText('No messages yet').waitFor()
  await becomes(isWriting, true)
  await page.keyboard.type('Hello everyone')
  await becomes(() => page.getByLabel(/^Message/).inputValue(), 'Hello everyone')
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  // The channel is loaded already.
  await page.getByRole('link', { name: 'harbor' }).first().click()
  await becomes(isWriting, true)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('link', { name: 'design' }).first().click()
  await page.locator('.message-content').first().waitFor()
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'MAIN')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('channel descriptions are rendered everywhere and follow changes', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels')
  const { stream_id } = await ada.succeed('GET /get_stream_id', { stream: 'design' })

  await ada.succeed(`PATCH /streams/${stream_id}`, { description: 'Icons, **all** of them' })
  const about = page.locator('.channel-about strong', { hasText: 'all' })
  await about.waitFor()
  await page.goto(`/channels/${stream_id}`)
  await about.waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the header has the buttons of the shown channel only, after any number of channels', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('PATCH /settings', { web_channel_default_view: 2 })
  const page = await stage.openAs(ada, '/inbox')
  const header = page.getByRole('main').locator('header').first()
  const names = () => header.getByRole('button').evaluateAll((buttons) => buttons.map((one) => one.ariaLabel))

  for (const name of ['engines', 'board', 'design']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await becomes(names, [
      'Mute channel',
      `All topics of #${name}`,
      `Search #${name}`,
      'People',
      `Actions for channel ${name}`,
    ])
  }
  await button(page, 'Mute channel').click()
  await button(page, 'Unmute channel').waitFor()

  const { subscriptions } = await ada.succeed('GET /users/me/subscriptions')
  const muted = subscriptions.filter(({ is_muted }: { is_muted: boolean }) => is_muted)
  assert.deepEqual(
    muted.map(({ name }: { name: string }) => name),
    ['design'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on a slow network, a click on a channel selects it at once, and its feed opens until its topics are loaded', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/drafts')
  const channel = page.locator('.pane-channel', { hasText: 'engines' }).getByRole('link').first()
  await channel.waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/users/me/*/topics*', async (route) => {
    await gate.promise
    await route.continue()
  })

  await channel.click()
  // Two frames later, at most.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  assert.equal(await channel.getAttribute('aria-current'), 'page')
  assert.equal(await page.locator('.pane [aria-current="page"]').count(), 1)
  await page.getByRole('heading', { level: 1, name: 'engines' }).waitFor()
  await page.getByText('It is the cache').waitFor()
  gate.resolve()
  await page.locator('.pane-topic', { hasText: 'slow start' }).waitFor()

  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on a slow network, the compose box of a channel is there at once, and keeps the focus and the text', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/users/me/*/topics*', async (route) => {
    await gate.promise
    await route.continue()
  })
  // Topics may take any time here.
  await page.evaluate(() => {
    const start = window.setTimeout
    Object.assign(window, { setTimeout: (run: () => void, time?: number) => (time === 300 ? 0 : start(run, time)) })
  })
  const box = page.getByLabel('Message engines', { exact: true })

  await page.locator('.pane-channel', { hasText: 'engines' }).getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: 'engines' }).waitFor()
  await page.getByText('Loading messages').waitFor()
  await box.click()
  await page.keyboard.type('al')
  gate.resolve()
  await page.getByText('It is the cache').waitFor()
  await page.keyboard.type('so')

  await becomes(() => box.inputValue(), 'also')
  assert.equal(await box.evaluate((text) => text === document.activeElement), true)
  assert.equal(new URL(page.url()).search, '')
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
  while ((await own()).push_notifications !== true) await page.waitForTimeout(50)
  assert.partialDeepStrictEqual(await own(), { pin_to_top: true, color: '#2f9e9a', push_notifications: true })

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

test('subscribers are added by name, email address and from another channel, and others see it', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const dora = await stage.chat.user('dora', { fullName: 'Dora' })
  const other = await stage.openAs(cleo, '/channels/3/settings/subscribers')
  await other.getByText('2 people').waitFor()
  const page = await stage.openAs(ada, '/channels/3/settings/subscribers')
  const field = page.getByRole('combobox', { name: 'Add people' })

  await button(page, 'Add to #board').click()
  await page.getByText('Choose at least one person.').waitFor()
  await page.evaluate((text) => navigator.clipboard.writeText(text), dora.email)
  await field.press('Control+V')
  await field.fill('engi')
  await page.getByRole('option', { name: /engines/ }).click()
  await page.reload()
  await button(page, 'Add to #board').click()
  await page.getByText('2 people added to #board; 2 were already subscribed').waitFor()

  await other.getByText('4 people').waitFor()
  const { subscribers } = await ada.succeed('GET /streams/3/members')
  assert.deepEqual(
    subscribers,
    [ada, ben, cleo, dora].map(({ id }) => id),
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('subscribers are removed after the undo time, and an error restores them', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1/settings/subscribers')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  const removeAll = async () => {
    await page.locator('thead .checkbox').click()
    await button(page, 'Remove 2…').click()
    await page.getByText('They’ll get a message').waitFor()
    await button(page, 'Remove').click()
    await row('Ben').waitFor({ state: 'detached' })
  }

  await removeAll()
  await button(page, 'Undo').click()
  await row('Ben').waitFor()
  await page.route('**/json/users/me/subscriptions', (route) =>
    route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } }),
  )
  await removeAll()
  await button(page, 'Dismiss').click()
  await page.getByText('Couldn’t remove 2 people from #design. Insufficient permission').hover()
  await row('Ben').waitFor()
  await page.unroute('**/json/users/me/subscriptions')
  const members = async () => (await ada.succeed('GET /streams/1/members')).subscribers
  assert.deepEqual(
    await members(),
    [ada, ben, cleo].map(({ id }) => id),
  )
  await button(page, 'Dismiss').click()
  await removeAll()
  await page.locator('.toast').hover()
  await ada.succeed('PATCH /streams/1', { new_name: 'sketches' })
  await page.getByRole('link', { name: 'sketches' }).first().waitFor()
  await button(page, 'Dismiss').click()
  await page.waitForFunction(() => document.querySelectorAll('.toast').length === 0)

  while ((await members()).length > 1) await page.waitForTimeout(50)
  assert.deepEqual(await members(), [ada.id])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("members see and search subscribers, but can't remove any", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1/settings/subscribers')

  await page.getByText('3 people').waitFor()
  await page.getByRole('button', { name: 'Role' }).press('Enter')
  await page.getByRole('button', { name: 'Role' }).press('Enter')
  await page.locator('[aria-sort=descending]', { hasText: 'Role' }).waitFor()
  assert.match(await page.locator('tbody tr').first().innerText(), /Ben/)
  await page.getByLabel('Search', { exact: true }).fill('LOVE')
  await page.getByText('1 of 3 people').waitFor()

  await becomes(() => page.locator('tbody tr').count(), 1)
  await becomes(() => page.getByRole('checkbox').count(), 0)
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
  assert.deepEqual(await setting('can_add_subscribers_group'), chosen)

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

test('the compose box of a channel suggests no topic in which only the server’s bots wrote', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const hall = await stage.chat.channel('hall', [ada])
  await ada.succeed('PATCH /realm', { new_stream_announcements_stream_id: hall.id })
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'attic' }], announce: true })
  const page = await stage.openAs(ada, `/channels/${hall.id}`)
  const topic = page.getByRole('combobox', { name: 'Topic' })

  await page.locator('.message-content', { hasText: 'created' }).waitFor()
  await page.getByLabel(/^Message/).focus()
  await topic.waitFor()

  await becomes(() => topic.inputValue(), '')
  await sendToChannel(ada, hall, 'Welcome to the hall', 'greetings')
  await page.locator('.message-content', { hasText: 'Welcome to the hall' }).waitFor()
  await becomes(() => topic.inputValue(), 'greetings')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a click on a channel whose latest topic was moved away opens the next topic', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  const channel = (name: string) => page.locator('.pane-channel', { hasText: name }).getByRole('link').first()
  await page.locator('.pane-topic', { hasText: 'colours' }).waitFor()
  await channel('engines').click()
  await page.getByRole('heading', { level: 1, name: 'slow start' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0, narrow: [{ operator: 'channel', operand: 1 }] },
  })

  await ada.succeed(`PATCH /messages/${messages[0].id}`, {
    ...{ stream_id: 2, propagate_mode: 'change_all' },
    ...{ send_notification_to_old_thread: false, send_notification_to_new_thread: false },
  })
  await page.locator('.pane-topic', { hasText: 'colours' }).waitFor()
  await channel('design').click()

  await page.getByRole('heading', { level: 1, name: 'icons' }).waitFor()
  await page.getByText('Round, please').waitFor()
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
