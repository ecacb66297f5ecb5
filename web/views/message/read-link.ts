import { type Narrow, toParticipants } from '../../store/messages/narrow.ts'

/** Decodes a name from a URL of a Zulip client; null if it is malformed. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('.', '%'))
  } catch {
    return null
  }
}

const FLAGS: Readonly<Record<string, Narrow>> = { starred: { kind: 'starred' }, mentioned: { kind: 'mentions' } }

/**
 * Returns the narrow of a fragment in Zulip's format, and the message in it if it names one; null for other fragments.
 * `hash` comes without its "#".
 */
export function readLink(hash: string): { narrow: Narrow; near?: number } | null {
  const [start, ...parts] = hash.split('/')
  if (start !== 'narrow') return null
  const terms = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) terms.set(parts[at]!, parts[at + 1]!)
  const of = (...names: string[]) => names.map((name) => terms.get(name)).find((one) => one !== undefined)
  const narrow = toNarrow(of('channel', 'stream'), of('topic', 'subject'), of('dm', 'pm-with'), of('is'))
  const near = Number(of('near', 'with', 'id') ?? '')
  return narrow && { narrow, ...(Number.isSafeInteger(near) && near > 0 && { near }) }
}

function toNarrow(channel?: string, topic?: string, dm?: string, is?: string): Narrow | null {
  if (channel !== undefined) {
    const channelId = Number.parseInt(channel, 10)
    const name = topic === undefined ? undefined : decode(topic)
    if (!(channelId > 0) || name === null) return null
    return name === undefined ? { kind: 'channel', channelId } : { kind: 'topic', channelId, topic: name }
  }
  if (dm !== undefined) {
    const ids = /^\d+(?:,\d+)*/
      .exec(decode(dm) ?? '')?.[0]
      .split(',')
      .map(Number)
    return ids === undefined ? null : { kind: 'direct', people: toParticipants(ids, 0) }
  }
  return FLAGS[is ?? ''] ?? null
}
