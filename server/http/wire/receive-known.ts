import { Late } from '../../base/late.ts'
import { splitRequest } from '../body/body.ts'
import type { ParkedRequest } from './connection.ts'
import type { Answer, ReadyAnswer } from './exchange.ts'
import type { KnownRequest } from './read-known.ts'
import { addressOf, type Receiver } from './receive.ts'
import { isWhole } from './respond.ts'
import { sendParked, sendParkedLater } from './send-parked.ts'

/** Has a request dispatched that node:http knows nothing of, and sends what comes of it; it is answered once. */
export function receiveKnown(receiver: Receiver, parked: ParkedRequest, request: KnownRequest): void {
  const { method, path, query, headers, bytes } = request
  const logged = { id: receiver.nextId(), method, path, startedAt: performance.now() }
  const send = (get: () => Answer) => sendParked(receiver, parked, logged, () => requireWhole(get()))
  const fail = (error: unknown) =>
    send(() => {
      throw error
    })
  try {
    const answer = receiver.dispatch({
      id: logged.id,
      method,
      path,
      host: headers.host?.toLowerCase() ?? '',
      headers,
      ...splitRequest({ method, contentType: headers['content-type'] }, query, bytes),
      bytes,
      arriving: null,
      remoteAddress: addressOf({ headers, socket: parked.socket }, receiver.trustRealIp),
    })
    if (!(answer instanceof Promise)) return send(() => answer)
    answer.then(
      (ready) => (ready instanceof Late ? sendParkedLater(receiver, parked, logged, ready) : send(() => ready)),
      fail,
    )
  } catch (error) {
    fail(error)
  }
}

function requireWhole(answer: Answer): ReadyAnswer {
  if (!isWhole(answer)) throw new Error('An answer that was to be whole is not')
  return answer
}
