import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** As node:http has it: `finish` says whether the bytes that were parsed may end here, and changes nothing. */
type Parsed = Socket & { parser?: { finish?(): unknown } | null }

/**
 * Takes the connection away from node:http, which then holds nothing of it, of the answer, nor of the request, and leaves
 * no listener on it; `server.emit('connection', socket)` gives it back. Does nothing and returns false unless the request
 * was read, its answer is the next to be sent, and nothing has arrived behind it, not even the beginning of a request.
 */
export function detach(socket: Socket, response: ServerResponse): boolean {
  const { req: request } = response
  const isRead = request.complete && request.readableEnded
  if (socket.destroyed || response.socket !== socket || response.headersSent || !isRead || !isSpent(socket))
    return false
  response.detachSocket(socket)
  // node:http lets go of a connection that closes; the errors that it makes of that are nobody's, and need no stack.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  socket.emit('close')
  Error.stackTraceLimit = stackTraceLimit
  for (const event of socket.eventNames()) socket.removeAllListeners(event)
  return true
}

/** Whether all bytes that arrived belong to whole requests. */
const isSpent = ({ parser, readableLength }: Parsed) =>
  readableLength === 0 && typeof parser?.finish === 'function' && !(parser.finish() instanceof Error)
