import { type Narrow, toParticipants } from '../../store/messages/narrow.ts'

const FLAGS: Readonly<Record<string, Narrow>> = { starred: { kind: 'starred' }, mentioned: { kind: 'mentions' } }

/**
 * Returns the narrow of a link in Zulip's format, such as `#narrow/channel/3-design/topic/tea/near/5`, and the message in it
 * if it names one; null for other fragments and malformed ones. `ownId` is left out of direct conversations.
 */
export function readHash(hash: string, ownId: number): { narrow: Narrow; near?: number } | null {
  const [start, ...parts] = hash.replace(/^#/, '').split('/')
  if (start !== 'narrow') return null
  const terms = new Map<string, string | null>()
  for (let at = 0; at + 1 < parts.length; at += 2) terms.set(parts[at]!, decodePart(parts[at + 1]!))
  const of = (...names: string[]) => names.map((name) => terms.get(name)).find((value) => value !== undefined)
  const narrow = toNarrow(of, ownId)
  const near = Number(of('near', 'with', 'id') ?? '')
  return narrow && { narrow, ...(Number.isSafeInteger(near) && near > 0 && { near }) }
}

/** `of` returns the first given term; null if its value is malformed. */
function toNarrow(of: (...names: string[]) => string | null | undefined, ownId: number): Narrow | null {
  const [channel, topic, people, words] = [
    of('channel', 'stream'),
    of('topic', 'subject'),
    of('dm', 'pm-with'),
    of('search'),
  ]
  if (channel !== undefined) {
    const channelId = Number.parseInt(channel ?? '', 10)
    if (!(channelId > 0) || topic === null) return null
    return topic === undefined ? { kind: 'channel', channelId } : { kind: 'topic', channelId, topic }
  }
  if (people !== undefined) {
    const ids = /^\d+(?:,\d+)*/
      .exec(people ?? '')?.[0]
      .split(',')
      .map(Number)
    return ids === undefined ? null : { kind: 'direct', people: toParticipants(ids, ownId) }
  }
  if (words !== undefined) return words === null ? null : { kind: 'search', query: words }
  return FLAGS[of('is') ?? ''] ?? null
}

/** Such links write a dot where others write a percent sign. Returns null for malformed parts. */
function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part.replaceAll('.', '%'))
  } catch {
    return null
  }
}
