import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { box, hasFocus, newestOf, placeholder, row, title, to } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a name that is not finished is neither dropped nor sent past', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/dm')
  const problem = (name: string) =>
    page.getByText(`“${name}” isn’t a recipient yet. Choose one from the list, or delete the name.`)
  await hasFocus(page, 'people')
  await page.keyboard.type('ada')
  await page.locator('[aria-selected="true"]', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('cle')
  await page.locator('[aria-selected="true"]', { hasText: 'Cleo Hopper' }).waitFor()

  await box(page).click()
  await problem('cle').waitFor()
  assert.deepEqual(await inspect(page, 'unfinished-recipient'), [])
  await page.keyboard.type('for both')
  await problem('cle').waitFor()
  await page.keyboard.press('Control+Enter')
  await hasFocus(page, 'people')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await hasFocus(page, 'people')
  await to(page).fill('zzz')
  await page.keyboard.press('Tab')
  await problem('zzz').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Go to conversation' }).count(), 0)
  await to(page).fill('cleo hopper')
  await box(page).click()
  await becomes(() => page.locator('.recipient-person').count(), 2)
  await becomes(() => page.getByText('isn’t a recipient yet').count(), 0)
  await page.keyboard.press('Control+Enter')
  await becomes(() => newestOf(ada), {
    to: ['Ada Lovelace', 'Ben Bitdiddle', 'Cleo Hopper'],
    subject: '',
    content: '<p>for both</p>',
  })

  await page.goto('/channels/1?topic=icons')
  await box(page).fill('square, then')
  const channel = page.getByRole('combobox', { name: 'Channel' })
  await channel.fill('engin')
  await box(page).click()
  await problem('engin').waitFor()
  await page.keyboard.press('Control+Enter')
  await hasFocus(page, 'channel')
  await becomes(() => channel.inputValue(), 'engin')
  await channel.fill('')
  await box(page).click()
  await becomes(() => channel.inputValue(), 'design')
  await page.keyboard.press('Control+Enter')
  await becomes(() => newestOf(ada), { to: 'design', subject: 'icons', content: '<p>square, then</p>' })

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a name that is not finished survives a reload and leaving the page, and still holds the message back', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/dm')
  const problem = (name: string) =>
    page.getByText(`“${name}” isn’t a recipient yet. Choose one from the list, or delete the name.`)
  const drafts = async () => {
    const { drafts: all } = await ben.succeed('GET /drafts')
    return all.map(({ type, to: ids, content }: Record<string, unknown>) => [type, ids, content])
  }
  await hasFocus(page, 'people')
  await page.keyboard.type('ada')
  await page.locator('[aria-selected="true"]', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('cle')
  await box(page).fill('for both')
  await becomes(drafts, [['', [], 'for both']])

  await page.reload()
  await problem('cle').waitFor()
  await becomes(() => page.locator('.recipient-person').count(), 1)
  await box(page).press('Control+Enter')
  await hasFocus(page, 'people')
  await becomes(() => to(page).inputValue(), 'cle')
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page
    .getByRole('link', { name: /Drafts/ })
    .first()
    .click()
  await page.locator('.unsent-row', { hasText: 'for both' }).getByRole('link').click()
  await problem('cle').waitFor()
  await box(page).press('Control+Enter')
  await hasFocus(page, 'people')
  await page.keyboard.type('cleo')
  await page.locator('[aria-selected="true"]', { hasText: 'Cleo Hopper' }).waitFor()
  await page.keyboard.press('Enter')
  await box(page).press('Control+Enter')
  await becomes(() => newestOf(ben), {
    to: ['Ada Lovelace', 'Ben Bitdiddle', 'Cleo Hopper'],
    subject: '',
    content: '<p>for both</p>',
  })

  await page.goto('/combined')
  await row(page, 'It is the cache').locator('.message-content').click()
  await page.keyboard.press('r')
  await box(page).fill('to whom?')
  await page.getByRole('combobox', { name: 'Channel' }).fill('desi')
  await row(page, 'warmer grey').locator('.message-content').click()
  await page.keyboard.press('r')
  await becomes(() => placeholder(page), 'Message #design › colours')
  await becomes(() => box(page).inputValue(), '')
  await page.keyboard.type('warmer')
  await page.getByRole('link', { name: 'View' }).last().click()
  await page.locator('.unsent-row', { hasText: 'to whom?' }).getByRole('link').click()
  await problem('desi').waitFor()
  await becomes(() => box(page).inputValue(), 'to whom?')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a quote does not drop a name that is not finished', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/combined')
  const channel = page.getByRole('combobox', { name: 'Channel' })
  await row(page, 'It is the cache').locator('.message-content').click()
  await page.keyboard.press('r')
  await box(page).fill('see this:')
  await channel.fill('desi')
  await row(page, 'Round, please').locator('.message-content').click()
  await page.keyboard.press('>')
  await becomes(async () => (await box(page).inputValue()).includes('border-radius'), true)

  await page.keyboard.press('Control+Enter')

  await hasFocus(page, 'channel')
  await becomes(() => channel.inputValue(), 'desi')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the name of a recipient that is not finished is kept without text, too, and is not listed as a draft', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/dm')
  await hasFocus(page, 'people')
  await page.keyboard.type('ada')
  await page.locator('[aria-selected="true"]', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('cle')
  await page.locator('[aria-selected="true"]', { hasText: 'Cleo Hopper' }).waitFor()

  await page.goto('/drafts')
  await page.getByText('No drafts').waitFor()
  await page.getByRole('link', { name: 'New message' }).click()
  await becomes(() => to(page).inputValue(), 'cle')
  await becomes(() => page.locator('.recipient-person').count(), 1)

  await to(page).fill('')
  await page.goto('/inbox')
  await title(page, 'Inbox')
  await page.getByRole('link', { name: 'New message' }).click()
  await hasFocus(page, 'people')
  assert.equal(await to(page).inputValue(), '')
  assert.deepEqual(await ben.succeed('GET /drafts').then(({ drafts }) => drafts), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
