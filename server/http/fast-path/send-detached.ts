import { compressed } from '../wire/compress.ts'
import { failureResponse } from '../wire/failure-response.ts'
import type { BufferedResponse, DeferredResponse } from '../wire/http-types.ts'
import { type LoggedRequest, logRequest } from '../wire/request-log.ts'
import type { ServerContext } from '../wire/server-context.ts'
import { isLast, writeResponse } from './detached-request.ts'
import { type DetachedRequest, fastConnectionOf } from './fast-connection.ts'
import { rawResponse } from './raw-response.ts'

type Sender = Pick<ServerContext, 'log' | 'isClosing' | 'common' | 'headersForPath'>

/** Sends the response to a detached request. A response that cannot be written counts as a crash. */
export function sendDetached(
  sender: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  try {
    send(sender, detached, logged, ready)
  } catch (error) {
    sendFailure(sender, detached, logged, error)
  }
}

/** Sends the response to a detached request that failed. */
export function sendFailure(sender: Sender, detached: DetachedRequest, logged: LoggedRequest, error: unknown): void {
  send(sender, detached, logged, failureResponse(error, sender.log, logged, sender.headersForPath(logged.path)))
}

/** Sends the response to a detached request once it is available. Whatever happens, exactly one response is sent. */
export function sendDeferred(
  sender: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  deferred: DeferredResponse,
): void {
  detached.deferred = deferred
  if (fastConnectionOf(detached.socket).detached !== detached) deferred.giveUp()
  deferred.onSettled((get) => {
    try {
      const ready = compressed(get())
      if (!(ready instanceof Promise)) return send(sender, detached, logged, ready)
      ready.then(
        (response) => sendDetached(sender, detached, logged, response),
        (error) => sendFailure(sender, detached, logged, error),
      )
    } catch (error) {
      sendFailure(sender, detached, logged, error)
    }
  })
}

function send(
  { log, isClosing, common }: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  const closes = isClosing() || isLast(detached)
  writeResponse(detached, rawResponse(ready, { closes, keepAlive: detached.keepAlive, common }), closes)
  logRequest(log, logged, ready.status)
}
