import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { addToChannel, fetchMessage, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { box } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const votesOf = (page: Page) => page.locator('.poll-option').allInnerTexts()
const flat = async (texts: Promise<string[]>) => (await texts).map((text) => text.replace(/\s+/g, ' '))

test('a poll counts the votes of two people live, and takes further options and another question', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const design = await ada.succeed('GET /get_stream_id', { stream: 'design' })
  const id = await sendToChannel(ada, { name: 'design' }, '/poll Where do we eat?\nSoup\nRice', 'lunch')
  const at = `/channels/${design.stream_id}?topic=lunch`
  const [adas, bens] = [await stage.openAs(ada, at), await stage.openAs(ben, at)]
  const option = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
  await option(adas, 'Soup').waitFor()
  await option(bens, 'Soup').waitFor()

  await option(adas, 'Soup').click()
  await bens.locator('.poll-option', { hasText: /Soup\s*1 vote/ }).waitFor()
  await option(bens, 'Soup').focus()
  await bens.keyboard.press('Enter')
  await adas.locator('.poll-option', { hasText: /Soup\s*2 votes/ }).waitFor()
  await option(bens, 'Rice').click()
  for (const page of [adas, bens]) await becomes(() => flat(votesOf(page)), ['Soup 2 votes · 67%', 'Rice 1 vote · 33%'])
  await becomes(() => option(adas, 'Rice').getAttribute('aria-pressed'), 'false')
  await becomes(() => option(bens, 'Rice').getAttribute('aria-pressed'), 'true')
  await adas.getByRole('button', { name: 'Ben Bitdiddle voted for Rice' }).waitFor()

  await option(adas, 'Soup').click()
  await becomes(() => flat(votesOf(bens)), ['Soup 1 vote · 50%', 'Rice 1 vote · 50%'])
  const field = bens.getByLabel('Add an option')
  await field.fill('Rice')
  await bens.getByText('The poll already has this option.').waitFor()
  await field.fill('Bread')
  await field.press('Enter')
  await option(adas, 'Bread').waitFor()
  await becomes(() => field.inputValue(), '')
  assert.equal(await bens.getByRole('button', { name: 'Edit question' }).count(), 0)
  await adas.getByRole('button', { name: 'Edit question' }).click()
  await adas.getByLabel('Question').fill('Where do we have supper?')
  await adas.getByLabel('Add an option').fill('Cheese')
  await adas.getByRole('link', { name: 'icons' }).first().click()
  await adas.getByText('Round, please').waitFor()
  await adas.goto(at)
  await becomes(() => adas.getByLabel('Add an option').inputValue(), 'Cheese')
  await becomes(() => adas.getByLabel('Question').inputValue(), 'Where do we have supper?')
  await adas.getByLabel('Question').press('Escape')
  await adas.getByText('Where do we eat?').waitFor()
  await adas.getByRole('button', { name: 'Edit question' }).click()
  await becomes(() => adas.getByLabel('Question').inputValue(), 'Where do we eat?')
  await adas.getByLabel('Question').fill('Where do we have dinner?')
  await adas.getByLabel('Question').press('Enter')
  await bens.getByText('Where do we have dinner?').waitFor()
  assert.deepEqual(await inspect(adas, 'chat-poll'), [])

  const { submessages } = await fetchMessage(ben, id)
  assert.deepEqual(
    submessages.slice(1).map(({ content }: { content: string }) => JSON.parse(content)),
    [
      { type: 'vote', key: 'canned,0', vote: 1 },
      { type: 'vote', key: 'canned,0', vote: 1 },
      { type: 'vote', key: 'canned,1', vote: 1 },
      { type: 'vote', key: 'canned,0', vote: -1 },
      { type: 'new_option', idx: 1, option: 'Bread' },
      { type: 'question', question: 'Where do we have dinner?' },
    ],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a poll names its voters, and a press, also by keyboard and touch, lists them all', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const twins = [await stage.chat.user('sam', { fullName: 'Sam' }), await stage.chat.user('sam2', { fullName: 'Sam' })]
  const design = await ada.succeed('GET /get_stream_id', { stream: 'design' })
  await addToChannel(ada, { name: 'design' }, twins)
  const id = await sendToChannel(ada, { name: 'design' }, '/poll Where do we eat?\nSoup\nRice\nBread', 'lunch')
  const vote = (person: Person, at: number) =>
    person.succeed('POST /submessage', {
      message_id: id,
      msg_type: 'widget',
      content: JSON.stringify({ type: 'vote', key: `canned,${at}`, vote: 1 }),
    })
  for (const person of [ben, cleo, ...twins, ada]) await vote(person, 0)
  for (const person of [cleo, ben]) await vote(person, 1)
  const at = `/channels/${design.stream_id}?topic=lunch`
  const page = await stage.openAs(ada, at)
  const soup = page.getByRole('button', { name: 'you, Ben Bitdiddle, Cleo Hopper, and 2 others voted for Soup' })
  const list = page.getByRole('dialog', { name: 'Votes for “Soup”' })
  await soup.waitFor()

  await page.getByText('Cleo Hopper and Ben Bitdiddle', { exact: true }).waitFor()
  await becomes(() => page.locator('.poll-voters').count(), 2)
  assert.deepEqual(
    await page
      .getByRole('button', { name: /^Rice/ })
      .evaluate((button) => button.ariaDescribedByElements?.map((one) => one.textContent)),
    ['Cleo Hopper and Ben Bitdiddle'],
  )
  await soup.focus()
  await page.keyboard.press('Enter')
  await becomes(
    () => flat(list.getByRole('listitem').allInnerTexts()),
    ['AL Ada Lovelace (you)', 'BB Ben Bitdiddle', 'CH Cleo Hopper', 'S Sam sam@example.com', 'S Sam sam2@example.com'],
  )
  assert.deepEqual(await inspect(page, 'poll-voters'), [])
  await list.getByRole('button', { name: 'Cleo Hopper' }).click()
  await page.getByRole('dialog', { name: 'Cleo Hopper' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Cleo Hopper' }).waitFor({ state: 'detached' })
  await becomes(() => list.evaluate((dialog) => dialog.contains(document.activeElement)), true)
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await becomes(() => soup.evaluate((button) => button === document.activeElement), true)
  const phone = await stage.openAs(ben, at, { width: 390, height: 844, isTouch: true })
  await phone.getByRole('button', { name: 'you, Cleo Hopper, Sam, and 2 others voted for Soup' }).click()
  await phone.getByRole('dialog', { name: 'Votes for “Soup”' }).getByText('Ada Lovelace').waitFor()
  assert.deepEqual(await inspect(phone, 'poll-voters-phone'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the tasks of a to-do list are ticked and added live', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const design = await ada.succeed('GET /get_stream_id', { stream: 'design' })
  const id = await sendToChannel(ada, { name: 'design' }, '/todo Release\nfreeze: tell translators\ntest', 'release')
  const at = `/channels/${design.stream_id}?topic=release`
  const [adas, bens] = [await stage.openAs(ada, at), await stage.openAs(ben, at)]
  const ticked = (page: Page) =>
    page.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked))
  await adas.getByText('tell translators').waitFor()
  await bens.getByText('0 of 2 done').waitFor()

  await adas.getByRole('checkbox', { name: 'freeze' }).focus()
  await adas.keyboard.press('Space')
  await becomes(() => ticked(bens), [true, false])
  await bens.getByText('1 of 2 done').waitFor()
  await bens.getByLabel('Add a task').fill('celebrate: with cake')
  await bens.getByRole('article').getByRole('button', { name: 'Add', exact: true }).click()
  await adas.getByText('with cake').waitFor()
  await bens.getByRole('checkbox', { name: 'freeze' }).click()
  await becomes(() => ticked(adas), [false, false, false])
  assert.deepEqual(await inspect(bens, 'chat-todo'), [])

  const { submessages } = await fetchMessage(ben, id)
  assert.deepEqual(
    submessages.slice(1).map(({ content }: { content: string }) => JSON.parse(content)),
    [
      { type: 'strike', key: '0,canned' },
      { type: 'new_task', key: 1, task: 'celebrate', desc: 'with cake', completed: false },
      { type: 'strike', key: '0,canned' },
    ],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a vote and a tick show before the server has confirmed them, and are taken back if it refuses', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, '/poll Where do we eat?\nSoup\nRice', 'lunch')
  await sendToChannel(ada, { name: 'design' }, '/todo Release\nfreeze', 'lunch')
  const design = await ada.succeed('GET /get_stream_id', { stream: 'design' })
  const page = await stage.openAs(ada, `/channels/${design.stream_id}?topic=lunch`)
  const [soup, freeze] = [page.getByRole('button', { name: /^Soup/ }), page.getByRole('checkbox', { name: 'freeze' })]
  await soup.waitFor()
  const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not now, please' }
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/submessage', (route) =>
    gate.promise.then(() => route.fulfill({ status: 400, json: refusal })),
  )

  await soup.click()
  await freeze.click()
  await becomes(() => soup.getAttribute('aria-pressed'), 'true')
  await becomes(() => freeze.isChecked(), true)
  gate.resolve()
  await becomes(() => soup.getAttribute('aria-pressed'), 'false')
  await becomes(() => freeze.isChecked(), false)
  await page.getByText('Couldn’t save your vote. Not now, please').waitFor()
  await page.getByText('Couldn’t change the task. Not now, please').waitFor()

  await page.unroute('**/json/submessage')
  await page.route('**/json/submessage', (route) => route.abort())
  await soup.click()
  const unreachable = 'Couldn’t save your vote. The server can’t be reached. Check your connection, and try again.'
  await page.getByText(unreachable, { exact: true }).waitFor()
  await page.unroute('**/json/submessage')
  await soup.click()
  await becomes(() => flat(votesOf(page)), ['Soup 1 vote · 100%', 'Rice 0 votes · 0%'])
  await soup.click()
  await becomes(() => flat(votesOf(page)), ['Soup 0 votes · 0%', 'Rice 0 votes · 0%'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a poll is written in a dialog, which says where it is posted, and leaves other text alone', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const dialog = page.getByRole('dialog', { name: 'New poll' })
  const newest = async () => {
    const range = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false }
    return (await ada.succeed('GET /messages', range)).messages[0]
  }
  await page.getByText('Round, please').waitFor()

  await box(page).click()
  await page.keyboard.type('/po')
  await page.getByRole('option', { name: '/poll' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('Posts to design › icons').waitFor()
  await becomes(() => box(page).inputValue(), '')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await dialog.getByText('Write a question.').waitFor()
  await page.keyboard.type('Which one?')
  await page.keyboard.press('Enter')
  await page.keyboard.type('round')
  await page.keyboard.press('Enter')
  await page.keyboard.type('oval')
  await page.keyboard.press('Enter')
  await page.keyboard.type('square')
  assert.deepEqual(await inspect(page, 'new-poll'), [])
  const options = () =>
    dialog.getByLabel(/^Option /).evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value))
  const handle = (name: string) => dialog.getByRole('button', { name: new RegExp(`^Move ${name}, `) })
  await handle('square').focus()
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
  await becomes(options, ['round', 'square', 'oval', ''])
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Move square, 2 of 3')
  await handle('round').hover()
  await page.mouse.down()
  await handle('oval').hover()
  await becomes(options, ['square', 'oval', 'round', ''])
  await dialog.getByLabel('Option 4').hover()
  await becomes(options, ['square', 'oval', 'round', ''])
  await handle('square').hover()
  await page.mouse.up()
  await handle('oval').hover()
  await becomes(options, ['round', 'square', 'oval', ''])
  await dialog.getByRole('button', { name: 'Remove oval' }).click()
  await dialog.getByRole('button', { name: 'Post poll' }).click()
  await page.getByRole('region', { name: 'Poll' }).getByText('Which one?').waitFor()
  await becomes(async () => (await newest()).content, '/poll Which one?\nround\nsquare')
  assert.equal((await newest()).subject, 'icons')

  await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'))
  await page.keyboard.type('one line')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('and another')
  await page.locator('.composer').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'To-do list' }).click()
  const list = page.getByRole('dialog', { name: 'New to-do list' })
  await becomes(() => list.getByLabel('Title').inputValue(), '')
  await list.getByLabel('Title').fill('Release')
  await list.getByLabel('Task 1').fill('Build it: on all platforms')
  await list.getByLabel('Task 1').press('Control+Enter')
  await page.getByRole('checkbox', { name: /Build it/ }).waitFor()
  await becomes(() => box(page).inputValue(), 'one line\nand another')
  assert.equal((await newest()).content, '/todo Release\nBuild it: on all platforms')

  await box(page).fill('/poll Typed by hand?\nYes\nNo')
  await page.locator('.composer').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Poll' }).click()
  await becomes(() => dialog.getByLabel('Question').inputValue(), 'Typed by hand?')
  await becomes(() => dialog.getByLabel('Option 2').inputValue(), 'No')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await becomes(() => box(page).inputValue(), '/poll Typed by hand?\nYes\nNo')
  await box(page).press('Control+Enter')
  await page.getByRole('region', { name: 'Poll' }).getByText('Typed by hand?').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a poll whose dialog was closed is still there when the dialog opens again, unless the user cancelled', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const dialog = page.getByRole('dialog', { name: 'New poll' })
  const openPoll = async () => {
    await page.locator('.composer').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Poll' }).click()
  }
  await page.getByText('Round, please').waitFor()

  await openPoll()
  await dialog.getByLabel('Question').fill('Which one?')
  await dialog.getByLabel('Option 1').fill('round')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await openPoll()
  await becomes(() => dialog.getByLabel('Question').inputValue(), 'Which one?')
  await becomes(() => dialog.getByLabel('Option 1').inputValue(), 'round')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await openPoll()

  await becomes(() => dialog.getByLabel('Question').inputValue(), '')
  await becomes(() => dialog.getByLabel('Option 1').inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
