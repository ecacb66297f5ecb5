import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastPath, ServerContext } from '../wire/server-context.ts'
import { detachKnownRequest, detachRequest } from './detached-request.ts'
import { findFastConnection } from './fast-connection.ts'
import { openHeaderCache } from './header-cache.ts'
import { openConnectionReader } from './read-connections.ts'
import { sendDeferred, sendDetached } from './send-detached.ts'

/**
 * Opens the shortcuts past node:http: requests whose headers were seen before are read without its parser, and waiting
 * polls keep none of its objects. docs/decisions/0020 says what this saves and how to turn it off.
 */
export function openFastPath(
  context: Omit<ServerContext, 'fastPath'>,
  answersInMemory: (path: string) => boolean,
): FastPath {
  const cache = openHeaderCache()
  return {
    openReader: (server, sockets, handOver) =>
      openConnectionReader({ context, parsing: { ...context, cache, answersInMemory }, server, sockets, handOver }),

    learnHeaders: (request: IncomingMessage, path: string) => answersInMemory(path) && cache.learn(request),

    send(response, logged, ready) {
      const detached = detachKnownRequest(response)
      if (detached === null) return false
      sendDetached(context, detached, logged, ready)
      return true
    },

    sendDeferred(response, logged, deferred) {
      const detached = detachRequest(response)
      if (detached === null) return false
      sendDeferred(context, detached, logged, deferred)
      return true
    },

    isIdle(socket: Socket) {
      const { detached = null, partial = null } = findFastConnection(socket) ?? {}
      return detached === null && partial === null
    },
  }
}
