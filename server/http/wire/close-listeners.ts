import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** The maximum time for accepting waiting connections, in milliseconds. */
const ACCEPTING_TIME = 2000

/** The maximum time that counts for one turn of the event loop, because this process may be suspended in between. */
const MAX_TURN_TIME = 100

/**
 * After this many turns of the event loop without a new connection, none is waiting. The first turn may be half over.
 */
const QUIET_TURNS = 3

/** Stops listening. Resolves when all connections are closed. */
export async function closeListeners(servers: readonly Server[]): Promise<void> {
  await acceptWaiting(servers)
  await Promise.all(servers.map(closeListener))
}

/** Accepts the connections that the system holds, because it would reset them when the server stops listening. */
async function acceptWaiting(servers: readonly Server[]): Promise<void> {
  let quietTurns = 0
  const onConnection = () => {
    quietTurns = 0
  }
  for (const server of servers) server.on('connection', onConnection)
  for (let time = 0; quietTurns < QUIET_TURNS && time < ACCEPTING_TIME; ) {
    const startedAt = performance.now()
    quietTurns += 1
    await new Promise(setImmediate)
    time += Math.min(performance.now() - startedAt, MAX_TURN_TIME)
  }
  for (const server of servers) server.off('connection', onConnection)
}

function closeListener(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // The `close` of node:http destroys idle connections, whose clients may be about to send a request.
  NetServer.prototype.close.call(server, () => resolve())
  // That `close` also stops the timer for slow headers, which is needed until all connections are closed.
  return promise.then(() => void server.close())
}
