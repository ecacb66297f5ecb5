import type { Person } from '../store/organization.ts'
import type { VisiblePresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { relativeTime } from '../ui/moments.ts'

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const RANKS = { active: 0, idle: 1, hidden: 2, offline: 2 } as const

type Find = ((userId: number) => VisiblePresence) | null

/**
 * Returns the ids of people in the order of the list: active people, idle people, then the others by the time of their
 * last activity, latest first. People whose activity is unknown come last. Ties are sorted by name. If presence is off,
 * all people are sorted by name.
 */
export function orderPeople(people: readonly Person[], find: Find): number[] {
  const ranked = people.map((person) => {
    const presence = find?.(person.user_id) ?? { kind: 'offline', since: null }
    const since = presence.kind === 'offline' ? (presence.since ?? Number.NEGATIVE_INFINITY) : 0
    return { person, rank: RANKS[presence.kind], since }
  })
  return ranked
    .sort(
      (one, other) =>
        one.rank - other.rank ||
        (one.since === other.since ? 0 : other.since - one.since) ||
        byName.compare(one.person.full_name, other.person.full_name),
    )
    .map(({ person }) => person.user_id)
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const

/** Returns a duration such as "10 minutes"; at least one minute. */
function lengthOf(seconds: number): string {
  const { unit, seconds: unitSeconds } = UNITS.find((one) => seconds >= one.seconds) ?? UNITS[2]
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.max(1, Math.round(seconds / unitSeconds)),
  )
}

/** Returns presence as text, such as "idle for 10 minutes"; `now` is in UNIX seconds. */
export function presenceText(presence: VisiblePresence, now: number): string {
  switch (presence.kind) {
    case 'active':
      return t('active')
    case 'idle':
      return t('idle for {duration}', { duration: lengthOf(now - presence.since) })
    case 'hidden':
      return t('hidden from others')
    case 'offline':
      return presence.since === null
        ? t('offline')
        : t('offline, last active {time}', { time: relativeTime(presence.since, now) })
  }
}

/** Returns a short presence text, for use next to the presence dot; null for active users. */
export function shortPresenceText(presence: VisiblePresence, now: number): string | null {
  if (presence.kind === 'active') return null
  return presence.kind === 'offline' && presence.since !== null
    ? t('active {time}', { time: relativeTime(presence.since, now) })
    : presenceText(presence, now)
}

/** Returns true if the user's name, another word of the name, or the email address starts with the text. */
export function matchesPerson({ full_name, delivery_email }: Person, text: string): boolean {
  const query = fold(text.trim())
  return (
    query === '' ||
    fold(full_name).startsWith(query) ||
    fold(full_name).includes(` ${query}`) ||
    fold(delivery_email ?? '').startsWith(query)
  )
}

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Returns the previous order without removed ids, and with new ids at the end. */
export function stableOrder(before: readonly number[], ordered: readonly number[]): number[] {
  const there = new Set(ordered)
  const kept = before.filter((id) => there.has(id))
  const known = new Set(kept)
  return [...kept, ...ordered.filter((id) => !known.has(id))]
}
