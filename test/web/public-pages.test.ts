import assert from 'node:assert/strict'
import { upload } from '../files.ts'
import { sendToChannel } from '../messages.ts'
import { noResizing, picture } from '../pictures.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a visitor goes from the public channels to a message and its picture, and to the login page', async () => {
  const stage = await openStage()
  const { chat } = stage
  const { ada, ben } = await fillExample(chat)
  await chat.change({ enable_spectator_access: true, description: 'A club for **engines**, open to all' })
  const help = await chat.channel('help', [ada, ben], {
    isWebPublic: true,
    renderedDescription: '<p>Questions and answers</p>',
  })
  await chat.channel('news', [ada], { isWebPublic: true })
  await sendToChannel(ben, help, 'Where is the **manual**? :thinking:\n\n```spoiler Hint\nIn the drawer\n```', 'manual')
  const bytes = noResizing === false ? await picture(600, 300) : Buffer.from('no picture')
  chat.settings.EXTERNAL_URL = 'http://parley.test'
  const url = await upload(chat, ada, { name: 'cover.png', bytes })
  chat.settings.EXTERNAL_URL = stage.url
  const id = await sendToChannel(
    ada,
    help,
    `Here, @**Ben Bitdiddle**: [cover](${url})\n\n| part | page |\n|--|--|\n| valves | 12 |\n\n\`\`\`js\nconst page = 12 // valves\n\`\`\``,
    'manual',
  )
  await ben.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  const page = await stage.openWindow()

  await page.goto('/login/')
  await page.getByRole('link', { name: 'Read public channels' }).click()
  const problems = await inspect(page, 'public-channels')
  await page.getByRole('main').getByRole('link', { name: '# help' }).click()
  problems.push(...(await inspect(page, 'public-channel')))
  await page.getByRole('main').getByRole('link', { name: 'manual' }).click()
  await page.getByText('Where is the manual?').waitFor()
  problems.push(...(await inspect(page, 'public-topic')))

  assert.deepEqual(problems, [])
  assert.ok(await page.getByText('In the drawer').isHidden())
  await page.getByText('Hint').click()
  await page.getByText('In the drawer').waitFor()
  if (noResizing === false) {
    const image = page.locator('.message_inline_image img')
    await image.scrollIntoViewIfNeeded()
    await becomes(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth > 0), true)
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`/channels/${help.id}?topic=manual&near=${id}`)
  assert.ok(await page.locator(`#m${id}`).evaluate((element) => element.matches(':target')))
  await page.getByRole('link', { name: 'Sign in to reply' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome back' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('next'), `/channels/${help.id}?topic=manual&near=${id}`)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
