import type { ReactNode } from 'react'
import { retryAfterOf } from '../api/api-error.ts'
import { toAppError } from '../store/app-error.ts'
import type { Person } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Notice } from '../ui/notice.tsx'
import * as css from './settings.module.css'

/** The maximum number of concurrent requests. The server limits the rate of requests per user. */
const AT_ONCE = 4

type Failure<Item> = { item: Item; error: unknown }

/** The functions to call when the page is unloaded. They start the remaining work immediately. */
const unfinished = new Set<() => void>()
addEventListener('pagehide', () => {
  for (const rush of unfinished) rush()
})

/**
 * Runs the action for each item as fast as the rate limit allows, and returns the failures. If the page is unloaded,
 * all remaining actions start immediately.
 */
export async function runAll<Item>(
  items: readonly Item[],
  action: (item: Item) => Promise<unknown>,
): Promise<Failure<Item>[]> {
  const failures: Failure<Item>[] = []
  const waiting = [...items]
  async function work() {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await retryWhenAllowed(() => action(item as Item))
      } catch (error) {
        failures.push({ item, error })
      }
    }
  }
  const rush = () => {
    for (const item of waiting.splice(0)) action(item).catch(() => {})
  }
  unfinished.add(rush)
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  unfinished.delete(rush)
  return failures
}

/** Retries a rate-limited request as soon as the server allows. */
async function retryWhenAllowed(action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await action()
      return
    } catch (error) {
      const pause = retryAfterOf(error)
      if (pause === null) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** The accounts for which an action failed, each with its error. */
export function Failures({ failures }: { failures: readonly Failure<Person>[] }): ReactNode {
  if (failures.length === 0) return null
  return (
    <Notice kind="danger" title={t('Some accounts couldn’t be changed')} isUrgent>
      <ul className={css.accountList}>
        {failures.map(({ item, error }) => (
          <li key={item.user_id}>
            {item.full_name}: {toAppError(error).message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
