import assert from 'node:assert/strict'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** The most script that the first page may load, compressed, in bytes. */
const MAX_SCRIPT = 200 * 1024

test('the first page loads at most 200 KB of script', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script')
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      )
  })

  await page.goto('/')
  await page.getByText('warmer grey').first().waitFor()

  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  assert.ok(sizes.length > 0)
  assert.ok(total <= MAX_SCRIPT, `${total} bytes of script`)
  await stage.close()
})
