import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { openSession } from '../../server/people/sessions/open-session.ts'
import { sessionCookieName } from '../../server/people/sessions/session-cookie.ts'
import { createOrganizationOf, openAppIn, startKillableServer } from '../processes/killable-server.ts'
import { temporaryFolder } from '../storage.ts'
import { becomes } from './becomes.ts'
import { sharedBrowser, test } from './in-chromium.ts'

/** The number of messages that each person sends. */
const COUNT = 20

const ADDRESSES = ['ada@example.com', 'ben@example.com']

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Creates an organization with Ada and Ben in the folder, who are logged in with these tokens. */
async function fill(folder: string): Promise<{ id: number; token: string }[]> {
  await using app = await openAppIn(folder)
  await createOrganizationOf(app, ['ada', 'ben'])
  const { db, transaction } = app.services
  const users = await db
    .selectFrom('users')
    .select('id')
    .where('deliveryEmail', 'in', ADDRESSES)
    .orderBy('id')
    .execute()
  return Promise.all(
    users.map(async ({ id }) => ({
      id,
      token: (await transaction((tx) => openSession(tx, id, { isKept: false }))).token,
    })),
  )
}

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
  const [ada, ben] = (await fill(folder)) as [{ id: number; token: string }, { id: number; token: string }]
  const port = await freePort()
  const url = `http://localhost:${port}`
  const settings = { PORT: String(port), EXTERNAL_URL: url, LOG_LEVEL: 'error' }
  let server = await startKillableServer(folder, settings)
  const browser = await sharedBrowser()
  const open = async (one: { token: string }, other: { id: number }) => {
    const context = await browser.newContext({ baseURL: url, serviceWorkers: 'block' })
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
