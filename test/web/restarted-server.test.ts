import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sessionCookieName } from '#people/sessions.ts'
import { freePort } from '../free-port.ts'
import { createLoggedInPeople, type LoggedInPerson, startKillableServer } from '../processes/killable-server.ts'
import { temporaryFolder } from '../storage.ts'
import { becomes, patience } from './becomes.ts'
import { sharedBrowser, test } from './in-chromium.ts'

/** The number of messages that each person sends. */
const COUNT = 20

const texts = (page: Page) => page.locator('.timeline .message-content').allTextContents()

async function write(page: Page, name: string): Promise<void> {
  const box = page.getByLabel(/^Message/)
  for (let at = 1; at <= COUNT; at += 1) {
    await box.fill(`${name} ${at}`)
    await box.press('Control+Enter')
    await becomes(() => box.inputValue(), '')
  }
}

const sentBy = (name: string) => Array.from({ length: COUNT }, (_, at) => `${name} ${at + 1}`)

test('when the server is killed while two people write, nothing is lost, doubled or out of order', async () => {
  const folder = await temporaryFolder()
  const [ada, ben] = (await createLoggedInPeople(folder, ['ada', 'ben'])) as [LoggedInPerson, LoggedInPerson]
  const port = await freePort()
  const url = `http://localhost:${port}`
  const settings = { PORT: String(port), EXTERNAL_URL: url, LOG_LEVEL: 'error' }
  let server = await startKillableServer(folder, settings)
  const browser = await sharedBrowser()
  const open = async (one: { token: string }, other: { id: number }) => {
    const context = await browser.newContext({ baseURL: url, serviceWorkers: 'block' })
    context.setDefaultTimeout(patience())
    await context.addCookies([{ name: sessionCookieName({ EXTERNAL_URL: url }), value: one.token, url }])
    const page = await context.newPage()
    await page.goto(`/dm/${other.id}`)
    await page.getByLabel(/^Message/).waitFor()
    return page
  }
  const pages = [await open(ada, ben), await open(ben, ada)] as const

  const writing = Promise.all([write(pages[0], 'ada'), write(pages[1], 'ben')])
  for (const text of ['ada 3', 'ben 3']) await pages[0].getByText(text, { exact: true }).first().waitFor()
  await server.kill()
  await pages[0].waitForTimeout(1500)
  server = await startKillableServer(folder, settings)
  await writing

  for (const page of pages) {
    await becomes(() => page.locator('.outgoing').count(), 0)
    const by = async (name: string) => (await texts(page)).filter((text) => text.startsWith(name))
    await becomes(() => by('ada'), sentBy('ada'))
    await becomes(() => by('ben'), sentBy('ben'))
  }
  assert.deepEqual(await texts(pages[0]), await texts(pages[1]))
  for (const page of pages) await page.context().close()
  await server.kill()
})
