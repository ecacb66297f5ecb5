import type { Answer, Exchange } from '../../http/wire/exchange.ts'
import { EMOJI_DATA_PATH, emojiDataJson } from '../emoji-data.ts'

/** Answers where `server_emoji_data_url` leads; null for all other paths. */
export function emojiDataPage({ method, path }: Exchange): Answer | null {
  if (path !== EMOJI_DATA_PATH || (method !== 'GET' && method !== 'HEAD')) return null
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=86400',
    'access-control-allow-origin': '*',
  }
  return { status: 200, headers, body: emojiDataJson() }
}
