import { type Narrow, toParticipants } from '../../store/messages/narrow.ts'

/** Returns the target of a link such as `#narrow/channel/3-design/topic/tea/near/5`; null for any other. */
export function readHash(hash: string, ownId: number): { narrow: Narrow; near?: number } | null {
  const [start, ...parts] = hash.replace(/^#/, '').split('/')
  if (start !== 'narrow' || parts.length < 2) return null
  const terms = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) terms.set(parts[at]!, decodePart(parts[at + 1]!))
  const narrow = toNarrow(terms, ownId)
  if (narrow === null) return null
  const near = Number(terms.get('near') ?? terms.get('with'))
  return Number.isSafeInteger(near) && near > 0 ? { narrow, near } : { narrow }
}

function toNarrow(terms: ReadonlyMap<string, string>, ownId: number): Narrow | null {
  const channel = terms.get('channel') ?? terms.get('stream')
  const topic = terms.get('topic') ?? terms.get('subject')
  const people = terms.get('dm') ?? terms.get('pm-with')
  const is = terms.get('is')
  if (channel !== undefined) {
    const channelId = Number.parseInt(channel, 10)
    if (!(channelId > 0)) return null
    return topic === undefined ? { kind: 'channel', channelId } : { kind: 'topic', channelId, topic }
  }
  if (people !== undefined) {
    const ids = people.replace(/-.*$/, '').split(',').map(Number)
    return ids.every((id) => Number.isSafeInteger(id) && id > 0)
      ? { kind: 'direct', people: toParticipants(ids, ownId) }
      : null
  }
  if (terms.has('search')) return { kind: 'search', words: terms.get('search') ?? '' }
  if (is === 'starred') return { kind: 'starred' }
  if (is === 'mentioned') return { kind: 'mentions' }
  return null
}

/** Such links write a dot where others write a percent sign. What cannot be read so stands as it is. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('.', '%'))
  } catch {
    return part
  }
}
