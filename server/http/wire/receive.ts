import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../base/log.ts'
import { Refusal } from '../../base/refusal.ts'
import { openArrivingFiles } from '../body/arriving-files.ts'
import { NOTHING, readBody, splitRequest } from '../body/body.ts'
import { connectionOf } from './connection.ts'
import type { Answer, ArrivingFiles, Exchange } from './exchange.ts'
import { logRequest } from './request-log.ts'
import { refuseUnread, respond, respondUnread } from './respond.ts'
import { splitTarget } from './target.ts'
import { crashAnswer, MAX_TARGET, malformedRequest, refusalAnswer, targetTooLong } from './wire-refusals.ts'

export type Receiver = {
  dispatch: (exchange: Exchange) => Promise<Answer> | Answer
  bodyLimit: (method: string, path: string) => number
  /** Whether such a request's endpoint reads its files itself. */
  readsFiles: (method: string, path: string) => boolean
  log: Log
  nextId: () => string
  trustRealIp: boolean
  isClosing: () => boolean
}

/** Reads a request, has it dispatched, and sends what comes of it; whatever happens, it is answered once. */
export function receive(receiver: Receiver, target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers } = request
  const { path, query, host = headers.host ?? '' } = splitTarget(target)
  const entry = { id: receiver.nextId(), method, path, startedAt: performance.now() }
  let arriving: (ArrivingFiles & { isWhole: boolean }) | null = null
  connectionOf(request.socket).newest = response

  const send = (answer: Answer) => {
    try {
      if (arriving === null || arriving.isWhole) respond(response, answer, receiver.isClosing())
      else respondUnread(request, response, answer)
      logRequest(receiver.log, entry, answer.status)
    } catch (error) {
      crash(error)
    }
  }
  const crash = (error: unknown) => {
    if (error instanceof Refusal) return send(refusalAnswer(error))
    receiver.log.error({ id: entry.id, err: error }, 'a request crashed')
    if (response.headersSent) response.destroy()
    else send(crashAnswer(entry.id))
  }
  const refuse = (refusal: Refusal) => {
    refuseUnread(request, response, refusal)
    logRequest(receiver.log, entry, refusal.kind.status)
  }
  const dispatch = (said: Pick<Exchange, 'query' | 'body' | 'files' | 'arriving' | 'bytes'>) => {
    const answer = receiver.dispatch({
      id: entry.id,
      method,
      path,
      host: host.toLowerCase(),
      headers,
      ...said,
      remoteAddress: addressOf(request, receiver.trustRealIp),
      whenOver: (job: () => void) => void response.once('close', job),
    })
    if (answer instanceof Promise) answer.then(send, crash)
    else send(answer)
  }

  if (target.length > MAX_TARGET) return refuse(targetTooLong({ limit: MAX_TARGET }))
  if (headers.host === undefined && request.httpVersion === '1.1') return refuse(malformedRequest())
  if (isAmbiguous(request.rawHeaders)) return refuse(malformedRequest())
  try {
    if (receiver.readsFiles(method, path)) {
      const body = new Map<string, string>()
      arriving = openArrivingFiles(request, response, body)
      return dispatch({
        ...splitRequest({ method, contentType: undefined }, query, NOTHING),
        body,
        bytes: NOTHING,
        arriving,
      })
    }
    readBody(request, response, receiver.bodyLimit(method, path), (bytes) => {
      if (bytes instanceof Refusal) return refuse(bytes)
      try {
        const said = splitRequest({ method, contentType: headers['content-type'] }, query, bytes)
        dispatch({ ...said, bytes, arriving: null })
      } catch (error) {
        crash(error)
      }
    })
  } catch (error) {
    crash(error)
  }
}

/** Whether what says whose request it is, and where it goes, comes twice: proxies and servers differ in which they believe. */
function isAmbiguous(rawHeaders: readonly string[]): boolean {
  let [hosts, credentials] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1
  }
  return hosts > 1 || credentials > 1
}

function addressOf({ headers, socket }: IncomingMessage, trustRealIp: boolean): string {
  const forwarded = trustRealIp ? headers['x-real-ip'] : undefined
  return typeof forwarded === 'string' ? forwarded : (socket.remoteAddress ?? '')
}
