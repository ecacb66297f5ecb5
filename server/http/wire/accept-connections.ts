import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionOf, refuseConnection } from './connection.ts'
import type { OpenConnections } from './open-connections.ts'
import type { ServerContext } from './server-context.ts'
import { tooManyConnections } from './wire-refusals.ts'

/**
 * Accepts the connections of a server, keeps track of the open ones in `sockets`, and refuses connections from networks
 * that have too many. The fast path reads accepted connections if it is on; otherwise, node:http does.
 */
export function acceptConnections(server: Server, sockets: OpenConnections, context: ServerContext): void {
  // node:http itself listens for connections. It must not see refused connections.
  const nodeListeners = server.listeners('connection')
  server.removeAllListeners('connection')

  function readByNode(socket: Socket): void {
    for (const listener of nodeListeners) listener.call(server, socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const read = context.fastPath?.openReader(server, sockets, readByNode) ?? readByNode

  server.on('connection', (socket: Socket) => {
    context.admission.noteConnection()
    connectionOf(socket).common = context.common
    const network = context.networkOf(socket.remoteAddress ?? '')
    if (network !== null && sockets.countFrom(network) >= context.maxConnections) {
      context.noteConnectionRefusal()
      socket.on('error', () => {}).resume()
      return refuseConnection(socket, tooManyConnections({ limit: context.maxConnections }))
    }
    if (network === null) sockets.add(socket)
    else sockets.addFrom(network, socket)
    read(socket)
  })
}
