import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('a conversation prints all its loaded messages, without sidebar, header tools and compose box', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let count = 1; count <= 40; count++) await sendToChannel(ada, { name: 'design' }, `idea ${count}`, 'icons')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('idea 40').waitFor()
  await page.getByText('idea 1', { exact: true }).waitFor({ state: 'attached' })

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })

  for (const name of ['#conversations', '.composer', '.chat-header-actions button'])
    assert.equal(await page.locator(name).first().isVisible(), false, name)
  await page.getByRole('heading', { level: 1, name: 'icons' }).getByText('icons').waitFor()
  const { hidden, background } = await page.evaluate(() => ({
    hidden: [...document.querySelectorAll('html, body, .shell-main, .timeline')].filter(
      (element) => element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== 'visible',
    ).length,
    background: getComputedStyle(document.body).backgroundColor,
  }))
  assert.equal(hidden, 0, 'nothing is cut off')
  assert.match(background, /^(?:oklch\(1 0 0\)|rgb\(255, 255, 255\)|rgba\(0, 0, 0, 0\))$/)
  const pdf = await page.pdf({ format: 'A4' })
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
  assert.ok(pages >= 2, `${pages} pages`)
  await stage.close()
})
