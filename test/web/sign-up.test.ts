import assert from 'node:assert/strict'
import { PASSWORD } from '../browser.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('an owner opens the organization, and someone joins it with a link from an email', async () => {
  const stage = await openStage({ settings: { SMTP_URL: 'smtp://relay.test' } })
  const { ada } = await fillExample(stage.chat)
  const settings = await stage.openAs(ada, '/organization/joining')
  await settings.getByText('Require an invitation to join', { exact: true }).click()
  await settings.locator('[data-setting=invite_required]').getByText('Saved').waitFor()

  const page = await stage.openWindow({ width: 390, height: 800 })
  await page.goto(`${stage.url}/login/`)
  await page.getByRole('link', { name: 'Create one' }).click()
  await page.getByLabel('Email').fill('nelly@mailinator.com')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('Please use your real email address.').waitFor()
  assert.deepEqual(await inspect(page, 'join-refused'), [])
  await page.getByLabel('Email').fill('nelly@x.com')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  const mail = (await stage.chat.mail()).find(({ to }) => to.includes('nelly@x.com'))
  await page.goto(/https?:\S+\/accounts\/sign_up\/\S+/.exec(mail?.text ?? '')?.[0] ?? assert.fail(mail?.text))
  await page.getByLabel('Full name').fill('Nelly')
  await page.locator('#password').fill(PASSWORD)
  assert.deepEqual(await inspect(page, 'join-account'), [])
  await page.getByRole('button', { name: /^Join / }).click()

  await page.waitForURL((url) => !url.pathname.startsWith('/accounts'))
  await page.getByText('Welcome').first().waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
