import { jsonTextResponse } from '#http/encode-json.ts'
import { acceptsGzip } from '#http/wire/accepts-encoding.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { EMOJI_DATA_PATH, emojiDataJson } from '../state/emoji-data.ts'

/** Answers requests for `server_emoji_data_url`; returns null for all other paths. */
export function emojiDataPage(request: HttpRequest): HttpResponse | null {
  const { method, path } = request
  if (path !== EMOJI_DATA_PATH || (method !== 'GET' && method !== 'HEAD')) return null
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=86400',
    'access-control-allow-origin': '*',
  }
  return jsonTextResponse(emojiDataJson(), headers, acceptsGzip(request))
}
