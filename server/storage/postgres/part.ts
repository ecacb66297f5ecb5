import type pg from 'pg'

/** Milliseconds that a farewell has to be heard. */
const FAREWELL_TIME = 1000

type Streamed = { connection: { stream: { destroy(): void } } }

/** Ends the connection at once, without a farewell, which nobody might hear. Whatever waits for it fails. */
export function cut(client: pg.ClientBase): void {
  ;(client as unknown as Streamed).connection.stream.destroy()
}

/** Ends the connection, without a farewell where nobody answers it. */
export async function part(client: pg.Client): Promise<void> {
  await inTime(FAREWELL_TIME, client.end(), () => cut(client))
}

/** Waits for `ending`; after so many milliseconds `giveUp` is called instead. */
export async function inTime(time: number, ending: Promise<unknown>, giveUp: () => void): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    giveUp()
    resolve()
  }, time)
  await Promise.race([ending, isOver])
  clearTimeout(timer)
}
