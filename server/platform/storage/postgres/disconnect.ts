import type pg from 'pg'

/** Milliseconds that a farewell has to be heard. */
const FAREWELL_TIME = 1000

type Streamed = { connection: { stream: { destroy(): void } } }

/** Ends the connection at once, without a farewell, which nobody might hear. Whatever waits for it fails. */
export function destroyConnection(client: pg.ClientBase): void {
  ;(client as unknown as Streamed).connection.stream.destroy()
}

/** Ends the connection once `last` is over; without a farewell where nobody answers it in time. */
export async function disconnect(client: pg.Client, last: Promise<unknown> | null = null): Promise<void> {
  const ending = Promise.resolve(last).then(() => client.end())
  await withDeadline(FAREWELL_TIME, ending, () => destroyConnection(client))
}

/** Waits for `ending`; after so many milliseconds `giveUp` is called instead. */
export async function withDeadline(time: number, ending: Promise<unknown>, giveUp: () => void): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    giveUp()
    resolve()
  }, time)
  await Promise.race([ending, isOver])
  clearTimeout(timer)
}
