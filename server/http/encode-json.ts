import { jsonLength, type SharedJson, toBytes, toGzip, toText } from '#lib/encoding/shared-json.ts'
import { acceptsEncoding } from './wire/accepts-encoding.ts'
import { MIN_COMPRESSED_LENGTH } from './wire/compress.ts'
import type { BufferedBody, BufferedResponse, HttpRequest, ResponseHeaders } from './wire/http-types.ts'

/**
 * The minimum length of JSON that is sent as shared bytes, in UTF-16 units. For shorter JSON, joining strings is
 * cheaper.
 */
const MIN_SHARED_LENGTH = 48 * 1024

/** Returns the body in the form that is cheapest to send to the client, and adds the headers for it. */
export function encodeJson(
  json: SharedJson,
  request: Pick<HttpRequest, 'headers'>,
  headers: ResponseHeaders,
): BufferedBody {
  const length = jsonLength(json)
  if (length < MIN_COMPRESSED_LENGTH) return toText(json)
  headers['vary'] = 'accept-encoding'
  const compressed = acceptsEncoding(request, 'gzip') ? toGzip(json) : null
  if (compressed === null) return length < MIN_SHARED_LENGTH ? toText(json) : toBytes(json)
  headers['content-encoding'] = 'gzip'
  return compressed
}

/** Returns the response with this JSON text. A long text is compressed when it is sent, if `mayCompress` is true. */
export function jsonTextResponse(body: string, headers: ResponseHeaders, mayCompress: boolean): BufferedResponse {
  if (body.length >= MIN_COMPRESSED_LENGTH) headers['vary'] = 'accept-encoding'
  return { status: 200, headers, body, mayCompress }
}
