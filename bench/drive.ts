import { type Connection, openConnection, type Response } from './connection.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The requests to a server, and the number of connections. */
export type Load = {
  readonly port: number
  readonly connections: number
  /** Returns the next request; null if there are no more, which ends the round. */
  readonly next: () => Buffer | null
}

export type LoadResult = { requests: number; seconds: number }

/**
 * Keeps every connection busy for the given time, or until there are no more requests. Throws for an unsuccessful
 * response.
 */
export async function saturate(load: Load, seconds: number): Promise<LoadResult> {
  const connections = await openConnections(load)
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let requests = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let busy = connections.length
  for (const connection of connections) {
    const ask = () => {
      const request = performance.now() < endsAt ? load.next() : null
      if (request !== null) return connection.send(request, count)
      busy -= 1
      if (busy === 0) resolve()
    }
    const count = ({ status, body }: { status: number; body: string }) => {
      requests += 1
      if (status === 200) ask()
      else reject(new Error(`Answered ${status}: ${body}`))
    }
    ask()
  }
  // If the driver slept between responses, the server would have to wake it, which costs more the more often it
  // happens.
  const stayAwake = () => busy > 0 && setImmediate(stayAwake)
  stayAwake()
  await promise
  const driven = { requests, seconds: (performance.now() - startedAt) / 1000 }
  for (const connection of connections) connection.close()
  return driven
}

/**
 * Sends requests at random times, `rate` per second, whether or not earlier ones are answered. Returns the time that
 * each took since it was due, in milliseconds.
 */
export async function offer(load: Load, rate: number, seconds: number, random: SeededRandom): Promise<number[]> {
  const idle = await openConnections(load)
  const all = [...idle]
  const waiting: { request: Buffer; dueAt: number }[] = []
  const latencies: number[] = []
  const startedAt = performance.now()
  let dueAt = startedAt
  let hasEnded = false
  const { promise, resolve, reject } = Promise.withResolvers<void>()

  const sendWaiting = () => {
    while (idle.length > 0 && waiting.length > 0) {
      const connection = idle.pop() as Connection
      const { request, dueAt } = waiting.shift() as { request: Buffer; dueAt: number }
      connection.send(request, ({ status, body }) => {
        if (status !== 200) return reject(new Error(`Answered ${status}: ${body}`))
        latencies.push(performance.now() - dueAt)
        idle.push(connection)
        sendWaiting()
      })
    }
    if (hasEnded && waiting.length === 0 && idle.length === all.length) resolve()
  }
  // Loops without sleeping, because timers are late by up to a millisecond.
  const turn = () => {
    const now = performance.now()
    for (; dueAt <= now && !hasEnded; dueAt -= (Math.log(1 - random.fraction()) / rate) * 1000) {
      const request = dueAt < startedAt + seconds * 1000 ? load.next() : null
      if (request === null) hasEnded = true
      else waiting.push({ request, dueAt })
    }
    sendWaiting()
    if (!hasEnded) setImmediate(turn)
  }
  turn()
  await promise
  for (const connection of all) connection.close()
  return latencies
}

/** Sends one request on its own connection and returns the response with its body. */
export async function ask(port: number, request: Buffer): Promise<{ status: number; body: string }> {
  const connection = await openConnection(port)
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: string }>()
  connection.send(request, resolve, true)
  const answer = await promise
  connection.close()
  return answer
}

/** Sends one request on its own connection and returns the length of the response as sent. It must be successful. */
export async function askForLength(port: number, request: Buffer): Promise<number> {
  const connection = await openConnection(port)
  const { status, length } = await new Promise<Response>((resolve) => connection.send(request, resolve))
  connection.close()
  if (status !== 200) throw new Error(`Answered ${status}`)
  return length
}

function openConnections({ port, connections }: Load): Promise<Connection[]> {
  return Promise.all(Array.from({ length: connections }, () => openConnection(port)))
}
