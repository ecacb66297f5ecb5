import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** How long connections that wait to be accepted are accepted at most, in milliseconds. */
const ACCEPTING_TIME = 2000

/** So many turns of the event loop in a row without a new connection mean that none waits: the first may be half over. */
const QUIET_TURNS = 3

/** Stops listening, and resolves when all connections are closed. */
export async function closeListeners(servers: readonly Server[]): Promise<void> {
  await acceptWaiting(servers)
  await Promise.all(servers.map(closeListener))
}

/** Accepts the connections that the system holds for the server: it resets them when the server stops listening. */
async function acceptWaiting(servers: readonly Server[]): Promise<void> {
  let quietTurns = 0
  const onConnection = () => {
    quietTurns = 0
  }
  for (const server of servers) server.on('connection', onConnection)
  const end = performance.now() + ACCEPTING_TIME
  while (quietTurns < QUIET_TURNS && performance.now() < end) {
    quietTurns += 1
    await new Promise(setImmediate)
  }
  for (const server of servers) server.off('connection', onConnection)
}

function closeListener(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // node:http's own `close` destroys idle connections, whose clients may be about to send a request.
  NetServer.prototype.close.call(server, () => resolve())
  // It also ends the timer by which it watches over slow headers, which has to go on until then.
  return promise.then(() => void server.close())
}
