import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const CODE = '**/assets/organization-items-*.js'

test('the up arrow opens a menu at its last item, even if its code is loaded only then', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  const isRequested = Promise.withResolvers<void>()
  const mayLoad = Promise.withResolvers<void>()
  await page.route(CODE, async (route) => {
    isRequested.resolve()
    await mayLoad.promise
    await route.continue()
  })
  await page.goto('/')
  await page.getByRole('button', { name: /organization menu$/ }).focus()
  await isRequested.promise

  await page.keyboard.press('ArrowUp')
  mayLoad.resolve()

  const last = page.getByRole('menuitem').last()
  await becomes(() => last.evaluate((item) => item === document.activeElement), true)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  const button = page.getByRole('button', { name: /organization menu$/ })
  await becomes(() => button.evaluate((element) => element === document.activeElement), true)
  await stage.close()
})

test('a menu whose code does not load reports it, and opens on the next try', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  await page.route(CODE, (route) => route.abort())
  await page.goto('/')

  await page.getByRole('button', { name: /organization menu$/ }).click()
  await page.getByText('The server didn’t respond').waitFor()
  await page.unroute(CODE)
  await page.getByRole('button', { name: /organization menu$/ }).click()

  await page.getByRole('menuitem', { name: 'Help' }).waitFor()
  await stage.close()
})
