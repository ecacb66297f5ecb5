import type pg from 'pg'

/** The maximum time for closing a connection cleanly, in milliseconds. */
const MAX_CLOSING_TIME = 1000

type Streamed = { connection: { stream: { destroy(): void } } }

/** Closes the connection at once without notifying the server. All pending statements fail. */
export function destroyConnection(client: pg.ClientBase): void {
  ;(client as unknown as Streamed).connection.stream.destroy()
}

/**
 * Closes the connection after `last` has ended. If the server does not respond in time, closes it without notifying the
 * server.
 */
export async function disconnect(client: pg.Client, last: Promise<unknown> | null = null): Promise<void> {
  const ending = Promise.resolve(last).then(() => client.end())
  await withDeadline(MAX_CLOSING_TIME, ending, () => destroyConnection(client))
}

/** Waits for `ending`; calls `giveUp` if it takes longer than `time` milliseconds. */
export async function withDeadline(time: number, ending: Promise<unknown>, giveUp: () => void): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    giveUp()
    resolve()
  }, time)
  await Promise.race([ending, isOver])
  clearTimeout(timer)
}
