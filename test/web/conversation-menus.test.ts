import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import type { Person } from '../harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { resize } from './resize.ts'
import { openStage } from './stage.ts'

async function act(page: Page, name: string, what: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}

const policies = async (person: Person) =>
  ((await person.succeed('POST /register', { fetch_event_types: ['user_topic'] }))['user_topics'] as object[]).map(
    (one) => (one as { visibility_policy: number }).visibility_policy,
  )

test('a topic is followed and muted from its page, and both can be undone', async () => {
  const stage = await openStage()
  const { cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(cleo, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  const before = await policies(cleo)

  await act(page, 'topic colours', 'Mute topic')
  await page.getByText('Topic muted', { exact: true }).waitFor()
  await becomes(() => policies(cleo), [...before, 1])
  await page.getByRole('link', { name: /colours\s*, muted/ }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: /colours\s*, muted/ }).waitFor({ state: 'detached' })
  await act(page, 'topic colours', 'Follow topic')
  await page.getByText('Following topic').waitFor()

  await becomes(() => policies(cleo), [...before, 3])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a channel is marked as read and unread again, muted and pinned', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (const topic of ['icons', 'colours', 'shapes'])
    await sendToChannel(ada, { name: 'design' }, `about ${topic}`, topic)
  await ben.succeed('PATCH /settings', { web_channel_default_view: 2 })
  const page = await stage.openAs(ben, '/channels/1/settings/general')
  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }))
  await page.getByRole('link', { name: 'design' }).first().click()
  await page.getByText('about shapes').waitFor()
  const unread = () => page.getByRole('link', { name: /^design.*unread/ }).first()
  await unread().waitFor()

  await act(page, 'channel design', 'Mark all as read')
  await page.getByText(/messages marked as read/).waitFor()
  await unread().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await unread().waitFor()
  await act(page, 'channel design', 'Pin channel to top')
  const saved = page.waitForResponse((response) => response.request().postData()?.includes('is_muted') === true)
  await act(page, 'channel design', 'Mute channel')
  await saved

  await page.getByRole('link', { name: /^design\s*, muted/ }).waitFor()
  await page.locator('.toast', { hasText: '#design is muted' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByText('#design is no longer muted').waitFor()
  await becomes(() => page.getByRole('link', { name: /^design\s*, muted/ }).count(), 0)
  await act(page, 'channel design', 'Mute channel')
  await page.locator('.toast', { hasText: '#design is muted' }).waitFor()
  // The toast of the first change may still be there.
  await becomes(async () => {
    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    const design = subscriptions.find(({ name }: { name: string }) => name === 'design')
    return [design.pin_to_top, design.is_muted]
  }, [true, true])
  await stage.close()
})

test('a topic and direct messages are marked as unread as a whole, and stay so while they are shown', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'a word')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const topic = page.locator('.pane-topic', { hasText: 'icons' })
  const person = page.locator('.pane-person', { hasText: 'Ada Lovelace' })
  await page.getByText('Round, please').waitFor()
  await topic.filter({ hasNotText: 'unread' }).waitFor()

  await act(page, 'topic icons', 'Mark all as unread')
  await topic.filter({ hasText: '2 unread' }).waitFor()
  await person.click()
  await page.locator('.message-content', { hasText: 'a word' }).waitFor()
  await person.filter({ hasNotText: 'unread' }).waitFor()
  await person.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mark all as unread' }).click()
  await person.filter({ hasText: '1 unread' }).waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a resolved or renamed topic moves its readers along, with the text that they are writing', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const cleos = await stage.openAs(cleo, '/channels/1?topic=icons')
  const bens = await stage.openAs(ben, '/channels/1?topic=icons')
  await cleos.getByText('border-radius').waitFor()
  await bens.getByText('border-radius').waitFor()

  await cleos.getByLabel(/^Message /).fill('not sent yet')
  await act(cleos, 'topic icons', 'Resolve topic')
  for (const page of [cleos, bens]) await page.getByRole('heading', { level: 1, name: 'Resolved icons' }).waitFor()
  await bens.getByLabel(/^Message /).fill('one more')
  await act(cleos, 'topic icons', 'Unresolve topic')
  await cleos.getByRole('heading', { level: 1, name: 'icons', exact: true }).waitFor()
  await bens.getByText('This conversation moved to #design › icons').waitFor()
  await bens.getByRole('heading', { level: 1, name: 'icons', exact: true }).waitFor()
  await act(cleos, 'topic icons', 'Move topic')
  await cleos.getByRole('dialog').getByRole('combobox', { name: 'Topic' }).fill('signs')
  await cleos.getByRole('button', { name: 'Move', exact: true }).click()
  await cleos.getByRole('heading', { level: 1, name: 'signs' }).waitFor()

  await cleos.getByText('border-radius').waitFor()
  await becomes(() => cleos.getByLabel(/^Message /).inputValue(), 'not sent yet')
  await becomes(() => bens.getByLabel(/^Message /).inputValue(), 'one more')
  await act(cleos, 'topic signs', 'Resolve topic')
  await cleos.getByRole('heading', { level: 1, name: 'Resolved signs' }).waitFor()
  await cleos.locator('.toast', { hasText: 'Topic resolved' }).last().getByRole('button', { name: 'Undo' }).click()
  await cleos.getByRole('heading', { level: 1, name: 'signs', exact: true }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a topic is renamed in place of its title, without being merged with another one', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'Done.', '✔ logo')
  const page = await stage.openAs(cleo, `/channels/1?topic=${encodeURIComponent('✔ logo')}`)
  await page.getByText('Done.').waitFor()
  const title = page.getByRole('heading', { level: 1 })
  const field = title.getByRole('textbox', { name: 'Topic' })
  const isOnButton = () => title.getByRole('button').evaluate((button) => button === document.activeElement)

  await title.getByRole('button', { name: 'logo' }).click()
  await becomes(() => field.inputValue(), 'logo')
  assert.deepEqual(await inspect(page, 'topic-rename'), [])
  await field.fill('Icons')
  await field.press('Enter')
  await title.getByText('This topic already exists.').waitFor()
  await resize(page, { width: 820, height: 800 })
  await becomes(() => page.locator('.chat-header').evaluate((header) => header.clientHeight < 50), true)
  await page.keyboard.press('Escape')
  await becomes(isOnButton, true)

  await page.keyboard.press('Enter')
  await page.keyboard.type('sign')
  await title.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Resolved sign' }).waitFor()
  await page.getByText('Done.').waitFor()
  await page.locator('.toast', { hasText: 'Topic renamed' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Resolved logo' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 9, num_after: 0 },
    narrow: [{ operator: 'topic', operand: '✔ logo' }],
  })
  assert.deepEqual(
    messages.map(({ content }: { content: string }) => content),
    ['<p>Done.</p>'],
    'a corrected title causes no notices',
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a topic is not merged with another one if the topics of the channel are not loaded yet', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'Done.', 'logo')
  const page = await stage.openAs(cleo, '/inbox')
  const gate = Promise.withResolvers<void>()
  await page.route('**/users/me/*/topics*', (route) => gate.promise.then(() => route.continue()))
  await page.goto('/channels/1?topic=logo')
  await page.getByText('Done.').waitFor()
  const title = page.getByRole('heading', { level: 1 })

  await title.getByRole('button', { name: 'logo' }).click()
  await title.getByRole('textbox', { name: 'Topic' }).fill('Icons')
  await page.keyboard.press('Enter')
  gate.resolve()

  await page.getByText('This topic already exists.').waitFor()
  await becomes(() => title.textContent(), 'logo')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the compose box follows a topic that others move, with its text, its cursor and the focus', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0 },
    narrow: [{ operator: 'topic', operand: 'icons' }],
  })
  await page.getByText('border-radius').waitFor()
  const box = page.getByLabel(/^Message /)
  await box.click()
  await page.keyboard.type('one mre')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')

  await ada.succeed(`PATCH /messages/${messages[0].id}`, { topic: 'signs', propagate_mode: 'change_all' })
  await page.getByText('This conversation moved to #design › signs').waitFor()
  await page.getByRole('heading', { level: 1, name: 'signs' }).waitFor()
  await page.getByText('border-radius').waitFor()
  await page.keyboard.type('o')
  await becomes(() => box.inputValue(), 'one more')
  await becomes(() => page.getByRole('combobox', { name: 'Topic' }).inputValue(), 'signs')
  await page.getByRole('button', { name: 'Send', exact: true }).click()

  await page.locator('.message-content', { hasText: 'one more' }).waitFor()
  await becomes(async () => {
    const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
    return [messages[0].subject, messages[0].content]
  }, ['signs', '<p>one more</p>'])
  await page.goto('/channels/1?topic=icons')
  await page.getByText('No messages yet').waitFor()
  assert.equal(await box.inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the compose box follows a topic that others move to another channel', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()
  const box = page.getByLabel(/^Message /)
  await box.click()
  await page.keyboard.type('half ')

  await ada.succeed('PATCH /messages/1', { stream_id: 2, propagate_mode: 'change_all' })
  await page.getByText(/^This conversation moved to/).waitFor()
  await page.waitForURL('**/channels/2?topic=icons')
  await page.getByText('border-radius').waitFor()
  await becomes(() => box.inputValue(), 'half ')
  await page.keyboard.type('written')
  await becomes(() => box.inputValue(), 'half written')
  await page.goto('/channels/1?topic=icons')
  await page.getByText('No messages yet').waitFor()
  assert.equal(await box.inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users who are writing learn that a topic moved before its messages are loaded', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const cleos = await stage.openAs(cleo, '/channels/1?topic=icons')
  const bens = await stage.openAs(ben, '/channels/1?topic=icons')
  await cleos.getByText('border-radius').waitFor()
  await bens.getByText('border-radius').waitFor()
  const gate = Promise.withResolvers<void>()
  await bens.route('**/messages?*', (route) => gate.promise.then(() => route.continue()))

  await act(cleos, 'topic icons', 'Resolve topic')
  await bens.getByRole('heading', { level: 1, name: 'Resolved icons' }).waitFor()
  await bens.getByLabel(/^Message /).fill('one more')
  await cleos.locator('.toast', { hasText: 'Topic resolved' }).getByRole('button', { name: 'Undo' }).click()
  await cleos.getByRole('heading', { level: 1, name: 'icons', exact: true }).waitFor()

  await bens.getByText('This conversation moved to #design › icons').waitFor()
  await becomes(() => bens.getByLabel(/^Message /).inputValue(), 'one more')
  gate.resolve()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a resolved topic has an icon in place of its prefix, and a banner that takes it back', async () => {
  const stage = await openStage()
  const { cleo } = await fillExample(stage.chat)
  await cleo.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(cleo, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await act(page, 'topic icons', 'Resolve topic')
  await page.getByText('This topic is resolved.').waitFor()
  const notice = page.locator('[data-message]', { hasText: 'has marked this topic as resolved' })
  await notice.waitFor()
  const id = Number(await notice.getAttribute('data-message'))
  await becomes(async () => (await fetchMessage(cleo, id)).flags, ['read'])
  assert.equal(await page.locator('.timeline-unread').count(), 0)
  await page.getByRole('heading', { level: 1, name: 'Resolved icons' }).waitFor()
  assert.deepEqual(await inspect(page, 'resolved-topic'), [])
  for (const read of [() => page.title(), () => page.getByLabel(/^Message /).getAttribute('placeholder')])
    assert.doesNotMatch((await read()) ?? '', /✔/)
  const row = page.locator('.pane-topic[aria-current="page"]')
  assert.equal(await row.getByRole('img', { name: 'Resolved' }).count(), 1)
  assert.doesNotMatch((await row.textContent()) ?? '', /✔/)
  await page.getByRole('button', { name: 'Mark as unresolved' }).click()

  await page.getByRole('heading', { level: 1, name: 'icons', exact: true }).waitFor()
  await becomes(() => page.getByText('This topic is resolved.').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a whole channel is marked as unread', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/inbox')
  const channel = page.locator('.pane-channel', { hasText: 'design' }).getByRole('link').first()

  await channel.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mark all as unread' }).click()

  await channel.filter({ hasText: '3 unread' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a topic that others move doesn't interrupt users who are typing elsewhere", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const rename = (topic: string) => ada.succeed('PATCH /messages/1', { topic, propagate_mode: 'change_all' })
  await page.getByText('border-radius').waitFor()

  for (const [key, topic] of [
    ['q', 'signs'],
    ['Control+k', 'marks'],
  ] as const) {
    await page.keyboard.press(key)
    await page.waitForFunction(() => document.activeElement?.matches('input'))
    await page.keyboard.type('rou')
    await rename(topic)
    await page.getByText(`This conversation moved to #design › ${topic}`).waitFor()
    await page.locator('main').getByRole('heading', { name: topic, includeHidden: true }).first().waitFor()
    await page.locator('.timeline:visible').getByText('border-radius').waitFor()
    await page.keyboard.type('nd')

    assert.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).value), 'round')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an edit goes on when others move its topic, with its text, its cursor and the focus', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  const field = page.getByRole('form', { name: 'Edit message' }).getByRole('textbox')
  await page.getByLabel(/^Message/).press('ArrowUp')
  await field.waitFor()
  await page.keyboard.type(' or gren')
  await page.keyboard.press('ArrowLeft')

  await ada.succeed('PATCH /messages/3', { stream_id: 2, topic: 'paint', propagate_mode: 'change_all' })
  await page.getByText('This conversation moved to #engines › paint').waitFor()
  await page.waitForURL('**/channels/2?topic=paint*')
  await becomes(() => field.evaluate((area) => area === document.activeElement), true)
  await page.keyboard.type('e')

  await becomes(() => field.inputValue(), '@**Ada Lovelace** could we try a warmer grey? or green')
  await page.keyboard.press('Control+Enter')
  await page.locator('.message-content', { hasText: 'or green' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a page with an open dialog links to the new place of its topic, and follows when the dialog is closed', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()
  await act(page, 'topic icons', 'Move topic')
  await page.getByRole('dialog').waitFor()

  await ada.succeed('PATCH /messages/1', { topic: 'signs', propagate_mode: 'change_all' })
  const toast = page.locator('.toast', { hasText: 'This conversation moved to #design › signs' })
  assert.equal(await toast.getByRole('link', { name: 'Go there' }).getAttribute('href'), '/channels/1?topic=signs')
  await page.getByText('This conversation moved', { exact: true }).waitFor()
  assert.equal(await page.getByText('No messages yet').count(), 0)
  assert.equal(await page.getByRole('dialog').count(), 1)
  await page.keyboard.press('Escape')

  await page.waitForURL('**/channels/1?topic=signs')
  await page.getByText('border-radius').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a text stays when its topic moves to one with another draft, and the page links to the new place', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  await page.getByLabel(/^Message /).fill('a draft')
  await page.getByRole('link', { name: 'icons' }).first().click()
  await page.getByText('border-radius').waitFor()
  await page.getByLabel(/^Message /).fill('another text')

  await ada.succeed('PATCH /messages/1', { topic: 'colours', propagate_mode: 'change_all' })
  await page.getByText('This conversation moved', { exact: true }).waitFor()
  assert.equal(await page.getByLabel(/^Message /).inputValue(), 'another text')
  await page.locator('main').getByRole('link', { name: 'Go there' }).click()

  await page.getByText('warmer grey').waitFor()
  await page.getByText('border-radius').waitFor()
  assert.equal(await page.getByLabel(/^Message /).inputValue(), 'a draft')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('resolving a topic that has a resolved namesake combines the two, and offers no undo', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'Done before.', '✔ icons')
  const page = await stage.openAs(cleo, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()

  await act(page, 'topic icons', 'Resolve topic')
  await page.getByRole('heading', { level: 1, name: 'Resolved icons' }).waitFor()
  await page.getByText('Done before.').waitFor()

  const toast = page.locator('.toast', { hasText: 'Topic resolved' })
  await toast.waitFor()
  assert.equal(await toast.getByRole('button', { name: 'Undo' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a topic without messages can't be resolved or moved, and says why", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=empty')
  await page.getByText('No messages yet').waitFor()

  await act(page, 'topic empty', 'Resolve topic')

  await page.getByText('No messages in this topic yet').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users without permission are not offered to resolve or move a topic', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const gus = await stage.chat.user('gus', { role: Role.guest, fullName: 'Gus' })
  const principals = [gus.id]
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals })
  await stage.chat.change({
    can_resolve_topics_group: 'role:members',
    can_move_messages_between_topics_group: 'role:members',
    can_move_messages_between_channels_group: 'role:members',
  })
  const page = await stage.openAs(gus, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()

  assert.equal(await page.getByRole('heading', { level: 1 }).getByRole('button').count(), 0)
  await page.getByRole('button', { name: 'Actions for topic icons' }).click()

  await becomes(
    () => page.getByRole('menuitem').allInnerTexts(),
    ['Mark all as unread', 'Follow topic', 'Mute topic', 'Copy link'],
  )
  await stage.close()
})
