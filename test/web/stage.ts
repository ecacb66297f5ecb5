import assert from 'node:assert/strict'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openSession } from '../../server/sessions/open-session.ts'
import { sessionCookieName } from '../../server/sessions/session-cookie.ts'
import { buildWeb, isWebBuilt } from '../../tools/web-build.mjs'
import { type Chat, type Person, START, type StartOptions, startChat } from '../harness.ts'

const REPOSITORY = path.join(import.meta.dirname, '../..')

/** Answers that the pages deal with, and the clock of the tests, which the frames of mails refuse like any other script. */
const EXPECTED = /^Failed to load resource|^Blocked script execution in '[^']*\/html/

export type Look = { width?: number; height?: number; theme?: 'light' | 'dark' }

/** How long something may take to appear, in milliseconds. */
const PATIENCE = 20_000

/** Builds the web client where its sources changed. */
export async function prepareClient(): Promise<void> {
  if (!isWebBuilt(REPOSITORY)) assert.equal(await buildWeb(REPOSITORY), null)
}

/** A server that listens, and windows before it. What goes wrong on any page is noted. */
export type Stage = {
  readonly chat: Chat
  readonly url: string
  /** What any page complained of since it was asked last: errors, refused scripts and styles. */
  complaints(): string[]
  /** A window of its own, with its own cookies and the clock of the server; nobody is signed in. */
  openWindow(look?: Look): Promise<Page>
  /** A window in which somebody is signed in, at a page of theirs. */
  openAs(person: Person, at: string, look?: Look): Promise<Page>
  /** Signs somebody in with a window, in place of whoever was. */
  signIn(page: Page, person: Person): Promise<void>
  /** Closes the windows. */
  close(): Promise<void>
}

/** Opens a server of its own, which closes the one before it, in front of the browser that all tests share. */
export async function openStage(
  browser: Browser,
  options: Pick<StartOptions, 'transport' | 'settings'> = {},
): Promise<Stage> {
  const chat = await startChat({ ...options, webClient: path.join(REPOSITORY, 'web/dist') })
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://localhost:${port}`
  chat.settings.EXTERNAL_URL = url
  const contexts: BrowserContext[] = []
  const noted: string[] = []

  async function openContext({ width = 1280, height = 800, theme = 'light' }: Look): Promise<BrowserContext> {
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await context.clock.setFixedTime(START * 1000)
    contexts.push(context)
    context.setDefaultTimeout(PATIENCE)
    context.on('weberror', (error) => noted.push(String(error.error())))
    context.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) noted.push(message.text())
    })
    return context
  }

  async function signIn(context: BrowserContext, person: Person): Promise<void> {
    const { token } = await chat.app.services.transaction((tx) => openSession(tx, person.id, { isKept: false }))
    await context.addCookies([{ name: sessionCookieName(chat.settings), value: token, url }])
  }

  return {
    chat,
    url,
    complaints: () => noted.splice(0),
    openWindow: async (look = {}) => (await openContext(look)).newPage(),
    async openAs(person, at, look = {}) {
      const context = await openContext(look)
      await signIn(context, person)
      const page = await context.newPage()
      await page.goto(at)
      return page
    },
    signIn: (page, person) => signIn(page.context(), person),
    async close() {
      for (const context of contexts) await context.close()
    },
  }
}
