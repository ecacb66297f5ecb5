import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openSession, sessionCookieName } from '#people/sessions.ts'
import { TOAST_DURATION } from '../../web/ui/timers.ts'
import { type Chat, type Person, START, type StartOptions, startChat } from '../harness.ts'
import { patience } from './becomes.ts'
import { sharedBrowser } from './in-chromium.ts'

const REPOSITORY = path.join(import.meta.dirname, '../..')

/**
 * Errors that the browser logs although nothing is wrong: the pages handle failed responses, and the frames that show
 * emails block all scripts, including the clock of the tests.
 */
const EXPECTED = /^Failed to load resource|^Blocked script execution in '[^']*\/html/

type Look = {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  /** True for a touch screen without a mouse. */
  isTouch?: boolean
  /** True if the browser's cache must be empty. */
  isCold?: boolean
  /** True if the service worker must run. Playwright does not see the requests that it serves. */
  hasWorker?: boolean
}

/** A running server and browser windows. Errors on any page are recorded. */
export type Stage = {
  readonly chat: Chat
  readonly url: string
  /** Returns the errors of all pages since the last call, with scripts and styles that the policy refused. */
  complaints(): string[]
  /** Opens a window with its own cookies and the clock of the server, without a session. */
  openWindow(look?: Look): Promise<Page>
  /** Opens a window in which the person is logged in. */
  openAs(person: Person, at: string, look?: Look): Promise<Page>
  /** Logs a user in, and the previous one out. */
  signIn(page: Page, person: Person): Promise<void>
  /** Leaves the page, which would go to the login page by itself, and ends its session. */
  endSession(page: Page): Promise<void>
  /** Closes the windows. */
  close(): Promise<void>
}

/** Starts a new server, which closes the previous one, for the browser that all tests share. */
export async function openStage(
  options: Pick<
    StartOptions,
    'fetchMedia' | 'fetchPage' | 'transport' | 'settings' | 'makeExport' | 'serviceOrigins'
  > = {},
): Promise<Stage> {
  const browser = await sharedBrowser()
  const chat = await startChat({ ...options, webClient: path.join(REPOSITORY, 'web/dist') })
  const url = await listen(chat)
  chat.settings.EXTERNAL_URL = url
  const noted: string[] = []
  const spare = await spareContexts(browser, url)
  const used: BrowserContext[] = []

  /** Opens a window without anything from earlier tests, except for the files of the web client in its cache. */
  async function openPage({
    width = 1280,
    height = 800,
    theme = 'light',
    isTouch = false,
    isCold = false,
    hasWorker = false,
  }: Look): Promise<Page> {
    const known = isCold || hasWorker ? undefined : spare.pop()
    const context = known ?? (await newContext(browser, url, hasWorker))
    used.push(context)
    context.setDefaultTimeout(patience())
    context.removeAllListeners('weberror')
    context.removeAllListeners('console')
    context.on('weberror', (error) => noted.push(String(error.error())))
    context.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) noted.push(message.text())
    })
    await context.clearCookies()
    await context.clock.setFixedTime(START * 1000)
    const page = await context.newPage()
    await clearStorage(page, url)
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: theme })
    if (isTouch) {
      const devTools = await context.newCDPSession(page)
      await devTools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    }
    return page
  }

  async function signIn(context: BrowserContext, person: Person): Promise<void> {
    const { token } = await chat.app.services.transaction((tx) => openSession(tx, person.id, { isKept: false }))
    await context.addCookies([{ name: sessionCookieName(chat.settings), value: token, url }])
  }

  return {
    chat,
    url,
    complaints: () => noted.splice(0),
    openWindow: (look = {}) => openPage(look),
    async openAs(person, at, look = {}) {
      const page = await openPage(look)
      await signIn(page.context(), person)
      await page.goto(at)
      return page
    },
    signIn: (page, person) => signIn(page.context(), person),
    async endSession(page) {
      await page.goto('about:blank')
      await page.context().clearCookies()
    },
    async close() {
      for (const context of used) await closePages(context)
    },
  }
}

/** The port of the first server of this process. Later servers reuse it, so that the browser's cache stays valid. */
let portOfFirst = 0

async function listen(chat: Chat): Promise<string> {
  const at = (port: number) => chat.app.http.listen({ host: '127.0.0.1', port })
  const { port } = await at(portOfFirst).catch(() => at(0))
  portOfFirst = port
  return `http://localhost:${port}`
}

/**
 * Returns contexts of earlier tests at the same address, and closes their pages, even those that a failed test left
 * open.
 */
async function spareContexts(browser: Browser, url: string): Promise<BrowserContext[]> {
  const spare: BrowserContext[] = []
  for (const context of browser.contexts()) {
    if (addresses.get(context) !== url) await context.close()
    else {
      await closePages(context)
      spare.push(context)
    }
  }
  return spare
}

const addresses = new WeakMap<BrowserContext, string>()

async function newContext(browser: Browser, url: string, hasWorker: boolean): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    serviceWorkers: hasWorker ? 'allow' : 'block',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(patience())
  await context.clock.setFixedTime(START * 1000)
  await keepToasts(context)
  // Contexts with a service worker, and those whose process has crashed, are not reused.
  if (hasWorker) return context
  addresses.set(context, url)
  const blank = await context.newPage()
  await blank.goto('/robots.txt')
  blankPages.add(blank)
  blank.once('crash', () => addresses.delete(context))
  return context
}

/** Lets toasts stay for a minute: a slow machine may need more than ten seconds until a test presses their button. */
function keepToasts(context: BrowserContext): Promise<unknown> {
  return context.addInitScript((usual) => {
    const start = globalThis.setTimeout
    // Other timers of the same length pass nothing to their function.
    const wait = (run: () => void, delay?: number, ...given: []) =>
      start(run, delay === usual && given.length > 0 ? 60_000 : delay, ...given)
    Object.assign(globalThis, { setTimeout: wait })
  }, TOAST_DURATION)
}

/** A page in each reused context that keeps its process running, with all compiled scripts. */
const blankPages = new WeakSet<Page>()

/** Closes the pages of a test. Routes that still answer requests of these pages fail without consequences. */
async function closePages(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  for (const page of context.pages()) {
    if (blankPages.has(page)) continue
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
  }
}

async function clearStorage(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const storageTypes = 'local_storage,indexeddb,service_workers,cache_storage'
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
  await session.detach()
}
