import { lengthOf, type SharedJson, toBytes, toGzip, toText } from '../base/shared-json.ts'
import { acceptsEncoding } from './wire/accepts-encoding.ts'
import type { AnswerHeaders, Exchange, ReadyBody } from './wire/exchange.ts'

/** What is shorter, in characters, fits into few packets. */
const WORTH_COMPRESSING = 8 * 1024

/** From here on, handing over bytes that others share is cheaper than joining texts. */
const LONG = 48 * 1024

/** The body in the form that is cheapest to send to whoever asks. Adds to `headers` what says so. */
export function encodeJson(json: SharedJson, exchange: Pick<Exchange, 'headers'>, headers: AnswerHeaders): ReadyBody {
  const length = lengthOf(json)
  if (length < WORTH_COMPRESSING) return toText(json)
  headers['vary'] = 'accept-encoding'
  const compressed = acceptsEncoding(exchange, 'gzip') ? toGzip(json) : null
  if (compressed === null) return length < LONG ? toText(json) : toBytes(json)
  headers['content-encoding'] = 'gzip'
  return compressed
}
