import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The parser of node:http. `finish` returns an error unless the parsed bytes may end here, and changes nothing. */
type Parsed = Socket & { parser?: { finish?(): unknown } | null }

/**
 * Detaches a connection from node:http and removes all its listeners. node:http then keeps nothing of the connection,
 * the request or the response. `server.emit('connection', socket)` gives the connection back. Returns false and does
 * nothing unless the request was read, its response is the next to be sent, and no byte of another request has arrived.
 */
export function detach(socket: Socket, response: ServerResponse): boolean {
  const { req: request } = response
  const isRead = request.complete && request.readableEnded
  if (socket.destroyed || response.socket !== socket || response.headersSent || !isRead || !isAtRequestEnd(socket))
    return false
  response.detachSocket(socket)
  // node:http releases a connection that closes. No code handles the errors that it then creates, so they need no
  // stack.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  socket.emit('close')
  Error.stackTraceLimit = stackTraceLimit
  for (const event of socket.eventNames()) socket.removeAllListeners(event)
  return true
}

/** Returns whether all bytes that arrived belong to whole requests. */
const isAtRequestEnd = ({ parser, readableLength }: Parsed) =>
  readableLength === 0 && typeof parser?.finish === 'function' && !(parser.finish() instanceof Error)
