import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const namesIn = (page: Page) =>
  page
    .getByRole('option')
    .evaluateAll((options) => options.map((option) => option.querySelector('.visually-hidden')?.textContent))

test('messages of a muted user are hidden until they are revealed or the user is unmuted', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ada], 'nobody else')
  const page = await stage.openAs(ada, '/people')

  await page.getByRole('option', { name: /Cleo Hopper/ }).click()
  await page.getByRole('button', { name: 'More actions for Cleo Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Mute user' }).click()
  await page.getByText('You muted Cleo Hopper').waitFor()
  await page.getByRole('button', { name: 'More actions for Cleo Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Unmute user' }).waitFor()
  await page.goto('/channels/1?topic=icons')
  await page.getByText('This message is from someone you muted.').waitFor()
  const hidden = await page.getByText('border-radius').count()
  const conversations = await page.locator('.pane-link', { hasText: 'Cleo Hopper' }).count()
  await page.getByRole('button', { name: 'Show message' }).click()
  await page.getByText('border-radius').waitFor()
  await page.waitForFunction(() => document.activeElement?.hasAttribute('data-message'))
  await page.reload()
  await page.getByText('This message is from someone you muted.').waitFor()
  await ada.succeed(`DELETE /users/me/muted_users/${cleo.id}`)

  await page.getByText('border-radius').waitFor()
  assert.deepEqual([hidden, conversations], [0, 0])
  assert.deepEqual((await ben.succeed('POST /register', {}))['muted_users'], [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('messages of muted users are neither announced nor in Recent', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ada], 'nobody else')
  await sendDirect(ben, [ada], 'somebody else')
  await ada.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await ada.succeed('POST /user_topics', { stream_id: 1, topic: 'colours', visibility_policy: 1 })
  const page = await stage.openAs(ada, '/recent')
  await page.locator('.conversation-row', { hasText: 'Ben Bitdiddle' }).first().waitFor()

  const rows = await page.locator('.conversation-row', { hasText: 'Cleo Hopper' }).count()
  await sendDirect(cleo, [ada], 'again')
  await sendToChannel(cleo, { name: 'design' }, 'and again', 'icons')
  await sendToChannel(ben, { name: 'design' }, 'warmer still', 'colours')
  await sendDirect(ben, [ada], 'lunch?')
  const spoken = page.getByRole('status').filter({ hasText: 'new message' })
  await spoken.waitFor({ state: 'attached' })

  assert.equal(rows, 0)
  await becomes(() => spoken.textContent(), '1 new message in direct messages with Ben Bitdiddle')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('people are listed by presence, which has a label and is kept up to date', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const dan = await stage.chat.user('dan', { fullName: 'Dan Hider' })
  await cleo.succeed('POST /users/me/presence', { status: 'active' })
  await dan.succeed('POST /users/me/presence', { status: 'active' })
  await dan.succeed('PATCH /settings', { presence_enabled: false })
  await stage.chat.clock.advance(600)
  await cleo.succeed('POST /users/me/presence', { status: 'idle' })
  const page = await stage.openAs(ada, '/people')

  await becomes(
    () => namesIn(page),
    ['Ada Lovelace (you), active', 'Cleo Hopper, idle for 10 minutes', 'Ben Bitdiddle, offline', 'Dan Hider, offline'],
  )
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  await ben.succeed('POST /users/me/status', { status_text: 'deep in code' })

  await page.getByRole('option', { name: 'Ben Bitdiddle, active, deep in code' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the order of people is kept under the pointer, and updated afterwards', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  await page.getByRole('option', { name: 'Ada Lovelace (you), active' }).waitFor()
  await page.getByRole('option', { name: 'Ben Bitdiddle, offline' }).hover()

  await cleo.succeed('POST /users/me/presence', { status: 'active' })
  await page.getByRole('option', { name: 'Cleo Hopper, active' }).waitFor()
  await page.waitForTimeout(5500)

  const order = async () => (await namesIn(page)).map((name) => name?.split(/[ ,]/)[0])
  assert.deepEqual(await order(), ['Ada', 'Ben', 'Cleo'])
  await page.mouse.move(5, 5)
  await becomes(order, ['Ada', 'Cleo', 'Ben'])
  await stage.close()
})

test('a person is found by typing, and Enter opens the card, which leads to the profile and returns to the list', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')

  await page.getByLabel('Filter people').fill('bit')
  await page.getByText('1 of 3 people').waitFor()
  for (let at = 0; at < 4; at += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const card = page.getByRole('dialog', { name: 'Ben Bitdiddle' })
  await card.getByRole('heading', { name: 'Ben Bitdiddle' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'option')
  await page.keyboard.press('Enter')
  await card.getByRole('link', { name: 'View profile' }).click()
  await page.waitForURL('**/people/*')
  const common = page.getByRole('region', { name: 'Channels in common' })
  await common.getByRole('link', { name: 'engines' }).waitFor()
  assert.equal(await common.getByRole('link', { name: 'board' }).count(), 0)
  await page.getByRole('main').getByRole('link', { name: 'Message' }).click()
  await page.waitForURL('**/dm/*')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the directory shows roles, bots and deactivated accounts, and sorts', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const zoe = await stage.chat.user('zoe', { fullName: 'Zoe Gone' })
  await ada.succeed(`DELETE /users/${zoe.id}`)
  await ada.succeed('POST /bots', { full_name: 'Deploy robot', short_name: 'deploy' })
  await ada.succeed(`PATCH /users/${cleo.id}`, { role: 300 })
  const page = await stage.openAs(ada, '/people')
  const choose = async (label: string, option: string) => {
    await page.getByRole('button', { name: new RegExp(`${label}$`) }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const listed = async () => (await namesIn(page)).map((name) => name?.split(',')[0])

  await choose('Sort by', 'Role')
  await becomes(listed, ['Ada Lovelace (you)', 'Cleo Hopper', 'Ben Bitdiddle'])
  await choose('Show', 'Bots')
  await becomes(listed, ['Deploy robot'])
  await page.getByRole('option', { name: /Deploy robot/ }).click()
  const card = page.getByRole('dialog', { name: 'Deploy robot' })
  await card.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Escape')
  await choose('Show', 'Deactivated accounts')
  await becomes(listed, ['Zoe Gone'])
  await choose('Any role Role', 'Owner')
  await page.getByText('No matching people.').waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the card of a sender mentions them at the cursor, and leads to their messages', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  const box = page.getByRole('textbox', { name: /Message/ })
  await box.fill('Ask')
  await page.getByRole('button', { name: 'Cleo Hopper' }).first().click()
  const card = page.getByRole('dialog', { name: 'Cleo Hopper' })

  await card.getByRole('button', { name: 'Mention' }).click()
  await becomes(() => box.inputValue(), 'Ask @**Cleo Hopper** ')
  await page.getByRole('button', { name: 'Cleo Hopper' }).first().click()
  await card.getByRole('button', { name: 'More actions for Cleo Hopper' }).click()
  await page.getByRole('menuitem', { name: 'View messages sent' }).click()

  await page.waitForURL('**/search**')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, a card is at the bottom, even after the window changes', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people', { width: 390, height: 844 })
  await page.getByRole('option', { name: /^Ben/ }).click()
  const card = page.locator('.card-popover')
  const place = async () => {
    const { x, y, width, height } = (await card.boundingBox())!
    return { x, width, end: Math.round(y + height) }
  }
  await card.waitFor()
  await becomes(place, { x: 0, width: 390, end: 844 })

  await page.setViewportSize({ width: 380, height: 700 })

  await becomes(place, { x: 0, width: 380, end: 700 })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator changes the role of a person from the card', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')

  await page.getByRole('option', { name: /Ben Bitdiddle/ }).click()
  await page.getByRole('button', { name: 'More actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Change role…' }).click()
  await page.locator('.radio-card', { hasText: 'Moderator' }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText('Ben Bitdiddle’s role is now Moderator').waitFor()

  assert.equal((await ada.succeed(`GET /users/${ben.id}`)).user.role, 300)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a person is added to and removed from channels and groups on their profile', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { group_id: group } = await ada.succeed('POST /user_groups/create', {
    ...{ name: 'painters', description: '', members: [ada.id] },
  })
  const page = await stage.openAs(ada, `/people/${ben.id}`)
  const groups = page.getByRole('region', { name: 'Groups' })
  const channels = page.getByRole('region', { name: 'Channels in common' })

  await groups.getByRole('combobox', { name: 'Add to a group' }).fill('pain')
  await page.getByRole('option', { name: 'painters' }).click()
  await groups.getByRole('link', { name: 'painters' }).waitFor()
  const members = async () => (await ada.succeed(`GET /user_groups/${group}/members`))['members']
  const after = await members()
  await groups.getByRole('button', { name: 'Remove from painters' }).click()
  await becomes(() => groups.getByRole('link', { name: 'painters' }).count(), 0)
  const added = channels.getByRole('combobox', { name: 'Add to a channel' })
  await becomes(() => added.getAttribute('placeholder'), 'Enter a name')
  await added.fill('boa')
  await page.getByRole('option', { name: 'board' }).click()
  await channels.getByRole('link', { name: 'board' }).waitFor()

  assert.deepEqual([after, await members()], [[ada.id, ben.id], [ada.id]])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('addresses of profiles open them, in a message and in the address bar', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendToChannel(ben, { name: 'design' }, `see [Cleo](${stage.url}/#user/${cleo.id})`, 'icons')
  const page = await stage.openAs(ada, `/#user/${ben.id}`)

  await page.getByRole('heading', { name: 'Ben Bitdiddle', level: 1 }).waitFor()
  await page.goto('/channels/1?topic=icons')
  await page.getByRole('link', { name: 'Cleo', exact: true }).click()

  await page.getByRole('heading', { name: 'Cleo Hopper', level: 1 }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an unknown profile says so', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people/4711')

  await page.getByText('User not found').waitFor()
  await page.getByRole('link', { name: 'Show all people' }).click()

  await page.getByRole('option', { name: /Ben Bitdiddle/ }).waitFor()
  await stage.close()
})

test('a user sets a status with a suggestion, others see when it ends, and it is cleared', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [await stage.openAs(ada, '/people'), await stage.openAs(ben, '/people')]
  const openStatus = async () => {
    await adas.getByRole('button', { name: /account menu/ }).click()
    await adas.getByRole('menuitem', { name: /status/ }).click()
  }
  const save = () => adas.getByRole('button', { name: 'Save', exact: true }).click()

  await openStatus()
  await adas.getByRole('button', { name: 'In a meeting' }).click()
  await save()
  await bens.getByRole('option', { name: 'Ada Lovelace, active, In a meeting' }).click()
  await bens.getByRole('dialog', { name: 'Ada Lovelace' }).getByText('until').waitFor()
  await bens.keyboard.press('Escape')
  await openStatus()
  await adas.getByRole('textbox', { name: 'Your status' }).fill('x'.repeat(61))
  await save()
  await adas.getByText('Use at most 60 characters.').waitFor()
  await adas.getByRole('textbox', { name: 'Your status' }).fill('In a long meeting')
  await adas
    .getByRole('button', { name: 'Choose an emoji' })
    .or(adas.getByRole('button', { name: /Change emoji/ }))
    .click()
  await adas.getByRole('searchbox', { name: 'Search emoji' }).fill('coffee')
  await adas.getByRole('option', { name: 'coffee', exact: true }).waitFor()
  await adas.keyboard.press('Enter')
  await adas.getByRole('button', { name: 'Change emoji: coffee' }).waitFor()
  await save()
  await bens.getByRole('option', { name: 'Ada Lovelace, active, In a long meeting' }).waitFor()
  const status = (await ada.succeed(`GET /users/${ada.id}/status`))['status']
  await stage.chat.clock.advance(3601)
  await stage.chat.app.jobs.statuses.settled()

  await bens.getByRole('option', { name: /^Ada Lovelace(?:(?!meeting).)*$/ }).waitFor()
  assert.partialDeepStrictEqual(status, { emoji_name: 'coffee' })
  assert.deepEqual((await ada.succeed(`GET /users/${ada.id}/status`))['status'], {})
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a status that is saved without a connection stays in the form', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  await page.getByRole('option', { name: /you/ }).click()
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.route('**/json/users/me/status', (route) => route.abort())

  await page.getByRole('textbox', { name: 'Your status' }).fill('unsaved')
  await page.keyboard.press('Enter')

  await page.getByText('Couldn’t save the status').waitFor()
  await becomes(() => page.getByRole('textbox', { name: 'Your status' }).inputValue(), 'unsaved')
  await stage.close()
})

test('availability is hidden for an hour from the account menu, and shown again', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const settings = async () =>
    (
      await ada.succeed('POST /register', {
        fetch_event_types: ['user_settings'],
        client_capabilities: { parley_extensions: true, user_settings_object: true },
      })
    )['user_settings'] as Record<string, unknown>

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Hide my availability…' }).click()
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await page
    .getByText(/Your availability is hidden until/)
    .first()
    .waitFor()
  await page.getByRole('option', { name: 'Ada Lovelace (you), hidden from others' }).waitFor()
  await becomes(async () => (await settings())['presence_enabled'], false)
  const hidden = await settings()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Show my availability' }).click()
  await becomes(async () => (await settings())['presence_enabled'], true)

  assert.ok((hidden['presence_hidden_until'] as number) > stage.chat.clock.now())
  assert.equal((await settings())['presence_hidden_until'], 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a user who hides availability reports no activity, sees others, and sees how others see them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /settings', { presence_enabled: false })
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  const page = await stage.openAs(ada, '/login/')
  const reporting = page.waitForRequest('**/json/users/me/presence')
  await page.goto('/people')

  const sent = new URLSearchParams((await reporting).postData() ?? '')
  assert.deepEqual([sent.get('status'), sent.get('new_user_input')], ['idle', 'false'])
  await page.getByRole('option', { name: 'Ben Bitdiddle, active' }).waitFor()
  await page.getByRole('option', { name: 'Ada Lovelace (you), hidden from others' }).waitFor()
  await page.getByText('Your availability is hidden').waitFor()
  await stage.close()
})

test('the card of a person has the local time, the channels in common, and its actions in one row', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  await cleo.succeed('PATCH /settings', { timezone: 'Asia/Tokyo' })
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByRole('button', { name: 'Cleo Hopper' }).first().click()
  const card = page.getByRole('dialog', { name: 'Cleo Hopper' })
  await card.getByText(/there, 9 hours ahead/).waitFor()
  await card.getByText(/^Joined \d/).waitFor()
  await card.getByText('board, design, engines in common').waitFor()

  const tops = await settles(() =>
    card
      .locator('.card-actions :is(a, button)')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top))),
  )
  assert.equal(tops.length, 4)
  assert.deepEqual(new Set(tops).size, 1)
  await card.getByRole('button', { name: 'More actions for Cleo Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Copy mention' }).click()
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), '@**Cleo Hopper**')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
