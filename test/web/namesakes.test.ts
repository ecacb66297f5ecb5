import assert from 'node:assert/strict'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('users with the same name are told apart wherever direct messages with them are shown', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const sam = await stage.chat.user('sam', { fullName: 'Sam Reed' })
  const other = await stage.chat.user('samuel', { fullName: 'Sam Reed' })
  await sendDirect(sam, [ada], 'from the first')
  await sendDirect(other, [ada], 'from the second')
  await sendDirect(other, [ada, sam], 'to a group')
  const names = ['Sam Reed (sam@example.com)', 'Sam Reed (samuel@example.com)']
  const all = ['Sam Reed (sam), Sam Reed (samuel)', ...names]
  const page = await stage.openAs(ada, '/inbox')
  const texts = async (selector: string) => (await page.locator(selector).allTextContents()).toSorted()

  await page.locator('.conversation-name', { hasText: 'Sam Reed' }).first().waitFor()
  await becomes(async () => (await texts('.conversation-name')).filter((name) => name.startsWith('Sam')), all)
  await page.getByText('Sam Reed (samuel): to a group').waitFor()
  await becomes(() => texts('.pane-person .pane-link-name'), [...names, 'Sam Reed, Sam Reed'])
  assert.equal(await page.locator('.pane-link-name', { hasText: 'samuel@' }).getAttribute('title'), names[1])

  await page.goto('/direct-messages')
  await becomes(
    () => texts('.timeline-bar-title'),
    all.map((name) => `Direct messages with ${name}`),
  )

  await page.goto(`/dm/${other.id}`)
  await page.getByRole('heading', { level: 1, name: names[1]!, exact: true }).waitFor()

  await page.goto('/dm')
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('sam reed')
  await page.getByRole('option', { name: 'samuel@example.com' }).click()
  await becomes(() => texts('.recipient-person'), [`SR${names[1]}`])
  await page.getByRole('button', { name: `Remove ${names[1]}` }).waitFor()

  await page.keyboard.press('Control+k')
  await page.locator('.switcher-row').first().waitFor()
  await page.keyboard.type('sam reed')
  const people = page.getByRole('group', { name: 'People' }).locator('.switcher-detail', { hasText: '@' })
  await becomes(async () => (await people.allTextContents()).toSorted(), ['sam@example.com', 'samuel@example.com'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the user comes after all others in suggestions', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const self = await stage.chat.user('alex', { fullName: 'Alex Kim' })
  await stage.chat.user('alexkim', { fullName: 'Alex Kim' })
  await stage.chat.user('kim', { fullName: 'Kim Alexander' })
  await sendDirect(ben, [self], 'hello')
  const page = await stage.openAs(self, '/dm')
  const names = ['Alex Kim', 'Kim Alexander', 'Alex Kim (you)']
  const suggested = () => page.locator('.suggestion-label').allInnerTexts()

  await page.getByRole('combobox', { name: 'To', exact: true }).fill('alex')
  await becomes(suggested, names)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove Alex Kim (alexkim@example.com)' }).waitFor()

  await page.getByRole('textbox', { name: /^Message/ }).fill('@alex')
  await becomes(suggested, names)

  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.locator('.switcher-row').first().waitFor()
  await page.keyboard.type('@alex')
  await becomes(() => page.getByRole('group', { name: 'People' }).locator('.switcher-name').allInnerTexts(), names)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users with the same name are told apart in messages, mentions and the list of people', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const [sam, other] = [
    await stage.chat.user('sam', { fullName: 'Sam Reed' }),
    await stage.chat.user('samuel', { fullName: 'Sam Reed' }),
  ]
  await stage.chat.channel('maps', [ada, sam, other])
  const mention = `@**Sam Reed|${other.id}** and @**Ada Lovelace**`
  await sendToChannel(sam, { name: 'maps' }, `from the first to ${mention}`, 'scale')
  await sendToChannel(other, { name: 'maps' }, 'from the second', 'scale')
  await sendToChannel(other, { name: 'maps' }, 'once more', 'scale')
  await sendToChannel(ada, { name: 'maps' }, 'from me', 'scale')
  const { stream_id: id } = await ada.succeed('GET /get_stream_id', { stream: 'maps' })
  const page = await stage.openAs(ada, `/channels/${id}?topic=scale`)
  const message = (text: string) => page.getByRole('article').filter({ hasText: text })

  await message('from the first').locator('.message-namesake', { hasText: 'sam@example.com' }).waitFor()
  await page
    .getByRole('article', { name: /^Sam Reed samuel@example.com/ })
    .filter({ hasText: 'once more' })
    .waitFor()
  assert.equal(await message('from me').locator('.message-namesake').count(), 0)
  await becomes(() => page.locator('.mention').allTextContents(), ['@Sam Reed (samuel@example.com)', '@Ada Lovelace'])

  await page.goto('/people')
  await page.getByRole('option', { name: /^Sam Reed \(sam@example.com\)/ }).waitFor()
  await page.getByRole('option', { name: /^Sam Reed \(samuel@example.com\)/ }).waitFor()
  await becomes(
    async () => (await page.locator('.person-namesake').allTextContents()).toSorted(),
    ['sam@example.com', 'samuel@example.com'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
