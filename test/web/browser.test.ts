import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { budgetTests } from './budget.ts'
import { launchChromium, whyNoBrowser } from './chromium.ts'
import { faceTests } from './faces.ts'
import { formTests } from './forms.ts'
import { invitingTests } from './inviting.ts'
import { journeyTests } from './journey.ts'
import { keyboardTests } from './keyboard.ts'
import { liveTests } from './live.ts'
import { loadingTests } from './loading.ts'
import { looksTests } from './looks.ts'
import { rightsTests } from './rights.ts'
import { screenTests } from './screens.ts'
import { settingsTests } from './settings.ts'
import { prepareClient } from './stage.ts'
import { tableTests } from './table.ts'
import { writingTests } from './writing.ts'

const skip = whyNoBrowser || (process.env['PARLEY_TEST_POSTGRES'] !== undefined && 'pages are the same on any database')

suite('the web client in Chromium', { skip }, () => {
  let browser: Browser
  before(async () => {
    await prepareClient()
    browser = await launchChromium()
  })
  after(() => browser.close())

  for (const tests of [
    journeyTests,
    faceTests,
    formTests,
    writingTests,
    invitingTests,
    tableTests,
    liveTests,
    loadingTests,
    rightsTests,
    settingsTests,
    looksTests,
    keyboardTests,
    screenTests,
    budgetTests,
  ])
    for (const [title, run] of Object.entries(tests)) test(title, () => run(browser))
})
