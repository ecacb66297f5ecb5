import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Child, startChild } from '../child.ts'
import { median } from '../percentile.ts'
import { observePage, timeFib } from './in-page.ts'
import type { MeasuredTopics, OrganizationSize, Topic } from './organization.ts'
import type { Sending } from './server.ts'

const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** The elements of a usable conversation. */
const CONVERSATION = ['.timeline [data-message]', '.composer textarea']

/** A server with one organization, and a browser in which its reader is logged in. */
export type WebStage = MeasuredTopics &
  AsyncDisposable & {
    /** Milliseconds that multiples refer to. */
    readonly bases: { fib: number; emptyCold: number; emptyWarm: number }
    /** Opens a separate window, with an empty cache. */
    openWindow(viewport?: { width: number; height: number }): Promise<Page>
    /** Loads a page until the given elements are there; returns the milliseconds. */
    load(page: Page, url: string, selectors?: readonly string[]): Promise<number>
    addressOf(topic: Topic): string
    /** Sends messages as another user. */
    send(sending: Sending): Promise<unknown>
  }

type Ready = MeasuredTopics & { port: number; cookie: { name: string; value: string } }

export async function openWebStage(
  browser: Browser,
  size: OrganizationSize,
  { emptyUrl, slowDown }: { emptyUrl: string; slowDown: number },
): Promise<WebStage> {
  const child: Child = await startChild('./web/server.ts', size)
  const { port, cookie, ...topics } = child.ready as Ready
  const origin = `http://localhost:${port}`
  const contexts = new Set<BrowserContext>()

  async function openWindow(viewport = DESKTOP): Promise<Page> {
    const context = await browser.newContext({
      baseURL: origin,
      viewport,
      isMobile: viewport === PHONE,
      hasTouch: viewport === PHONE,
    })
    contexts.add(context)
    context.on('close', () => contexts.delete(context))
    await context.addCookies([{ ...cookie, url: origin }])
    const page = await context.newPage()
    page.on('close', () => void context.close())
    if (slowDown > 1) {
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
    }
    return page
  }

  async function load(page: Page, url: string, selectors: readonly string[] = CONVERSATION): Promise<number> {
    await page.addInitScript(observePage, selectors)
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => globalThis.benchMarks.usableAt > 0)
    return page.evaluate(() => globalThis.benchMarks.usableAt)
  }

  return {
    ...topics,
    bases: await measureBases(openWindow, load, emptyUrl),
    openWindow,
    load,
    addressOf: ({ channelId, topic }) => `/channels/${channelId}?topic=${encodeURIComponent(topic)}`,
    send: (sending) => child.ask('send', sending),
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close()
      await child[Symbol.asyncDispose]()
    },
  }
}

async function measureBases(
  openWindow: WebStage['openWindow'],
  load: WebStage['load'],
  emptyUrl: string,
): Promise<WebStage['bases']> {
  const [fibs, cold, warm]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < 5; round += 1) {
    const page = await openWindow()
    cold.push(await load(page, emptyUrl, ['main']))
    warm.push(await load(page, emptyUrl, ['main']))
    fibs.push(await page.evaluate(timeFib))
    await page.close()
  }
  return { fib: median(fibs), emptyCold: median(cold), emptyWarm: median(warm) }
}
