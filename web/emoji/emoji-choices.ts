import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { storesPersonalData } from '../browser/personal-data.ts'
import type { Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { loadPart } from '../ui/load-part.ts'
import { type Emoji, keyOfEmoji, readableName } from './emoji.ts'
import type { EmojiDetail, EmojiDetails } from './emoji-details.ts'

/** The categories of the picker, in the order in which it shows them. */
export const CATEGORIES = ['Smileys', 'Animals', 'Food', 'Activities', 'Travel', 'Objects', 'Symbols', 'Flags'] as const

type Category = (typeof CATEGORIES)[number]

/** The first code points of emoji in hex, alone or as ranges. An emoji belongs to the first category that matches. */
const CODES: readonly [Category, string][] = [
  ['Flags', '1f1e6-1f1ff 1f38c 1f3c1 1f3f3-1f3f4 1f6a9'],
  [
    'Food',
    '1f32d-1f330 1f336 1f33d 1f345-1f37f 1f382 1f942-1f944 1f950-1f96f 1f99e 1f9aa 1f9c0-1f9cb 1fad0-1fadb 2615',
  ],
  [
    'Activities',
    '1f380-1f381 1f383-1f384 1f386-1f38b 1f38d-1f391 1f396-1f397 1f39f 1f3a3 1f3a8 1f3ab 1f3ad-1f3b4 1f3bd-1f3cc ' +
      '1f3cf-1f3d3 1f3f8-1f3f9 1f52b 1f52e 1f6a3 1f6b4-1f6b5 1f6f7 1f6f9 1f6fc 1f93a 1f93c-1f93f 1f941 1f945-1f94f 1f9d7 ' +
      '1f9e7-1f9e9 1f9f8 1fa70 1fa80-1fa88 1fa95 1fa97-1fa98 1faa9 265f 26bd-26be 26f3 26f7-26f9',
  ],
  [
    'Smileys',
    '1f385 1f440-1f450 1f463-1f480 1f47e 1f481-1f483 1f485-1f487 1f48b 1f48f 1f491 1f493-1f49f 1f4a2 1f4a4-1f4ad 1f4af ' +
      '1f570-1f57a 1f590-1f596 1f5a4 1f5e3-1f5ef 1f600-1f64f 1f6b6 1f6c0 1f6cc 1f90c-1f93b 1f970-1f97a 1f9b4-1f9b9 ' +
      '1f9bb-1f9bf 1f9cc-1f9e1 1fa75-1fa77 1fac0-1fac5 1fae0-1faf8 261d 2639-263a 270a-270d 2763-2764',
  ],
  [
    'Travel',
    '1f301 1f303-1f307 1f309-1f30b 1f30d-1f310 1f3a0-1f3a2 1f3aa 1f3cd-1f3ce 1f3d4-1f3df 1f3e0-1f3f0 1f492 1f54b-1f54d ' +
      '1f550-1f567 1f5fa-1f5ff 1f680-1f6a2 1f6a4-1f6a8 1f6b2 1f6cb 1f6ce-1f6cf 1f6d1 1f6d5-1f6d6 1f6dd-1f6fb 1f9ed 1fa82 ' +
      '231a-231b 23f0-23f3 2693 26e9-26ea 26f1-26f2 26f4-26f5 26fa-26fd 2708',
  ],
  [
    'Animals',
    '1f300 1f302 1f308 1f30c 1f311-1f344 1f400-1f43f 1f490 1f4a7 1f4ae 1f525 1f54a 1f577-1f578 1f940 1f980-1f9ae ' +
      '1fa90 1faa8 1fab0-1fabf 1face-1facf 2600-2604 2614 2618 26a1 26c4-26c8 26f0 2728 2744 2b50',
  ],
  [
    'Symbols',
    '0-7f 80-ff 1f170-1f251 1f3e7 1f4a0 1f4b1-1f4b2 1f4db 1f4f3-1f4f6 1f500-1f506 1f516-1f524 1f52f-1f53d 1f549 1f54e ' +
      '1f5d1 1f6ab 1f6ad-1f6b1 1f6b3 1f6b7-1f6bc 1f6be 1f6c2-1f6c5 1f6d0 1f6dc 1f7e0-1f7f0 1faaf 203c-2199 21a9-21aa ' +
      '23cf 23e9-23ef 23f8-23fa 24c2-25fe 2611 2620-262f 2638 2640-2653 2660-2668 267b-267f 2695 269b-26ab 26ce 26d4 ' +
      '2705 2714-2721 2733-2734 2747-2757 2795-27bf 2934-2935 2b05-2b1c 2b55 3030-3299',
  ],
]

type Range = { from: number; to: number; category: Category }

const ranges: readonly Range[] = CODES.flatMap(([category, codes]) =>
  codes.split(' ').map((range) => {
    const [from = '', to = from] = range.split('-')
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), category }
  }),
)

/** Returns the category of an emoji by its code; objects by default. */
export function categoryOf(code: string): Category {
  const first = Number.parseInt(code, 16)
  return ranges.find(({ from, to }) => from <= first && first <= to)?.category ?? 'Objects'
}

/** Returns true if the emoji is a face. Faces are the most common reactions and come first. */
const isFace = (code: string): boolean => /^1f6[0-4]/.test(code)

/** An emoji in the picker. Users can search for all of its `names`; the first one is shown. */
export type EmojiChoice = Emoji & {
  readonly key: string
  readonly names: readonly string[]
  readonly category: Category | 'Own'
  /** Further search terms. */
  readonly keywords: readonly string[]
  /** Its forms with skin tones, lightest first. */
  readonly toned: readonly string[]
}

const ROUTE = '/static/emoji/names.json'

type CodeToNames = Readonly<Record<string, readonly string[]>>

/** The server's table of Unicode emoji: names by code. */
const unicodeNames = queryOptions({
  queryKey: ['emoji-names'],
  queryFn: async ({ signal }) => {
    const failure = (status: number) =>
      new ApiError(t('Couldn’t load the emoji names.'), {
        status,
        code: 'NOT_LOADED',
        route: `GET ${ROUTE}`,
        field: null,
        extras: {},
      })
    const response = await fetch(ROUTE, { signal }).catch((error: unknown) => {
      throw signal.aborted ? error : failure(0)
    })
    if (!response.ok) throw failure(response.status)
    return ((await response.json()) as { code_to_names: CodeToNames }).code_to_names
  },
})

/**
 * Returns all emoji of the picker. Custom emoji come first, and replace Unicode emoji with the same name. Faces come
 * next.
 */
export function toEmojiChoices(
  codeToNames: CodeToNames,
  realmEmoji: Organization['realm_emoji'],
  details: EmojiDetails = new Map(),
): EmojiChoice[] {
  const own = Object.values(realmEmoji)
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name }) => toChoice({ emoji_name: name, emoji_code: id, reaction_type: 'realm_emoji' }, [name], 'Own'))
  const taken = new Set(own.map(({ emoji_name }) => emoji_name))
  const faces = Object.entries(codeToNames).filter(([code]) => isFace(code))
  const rest = Object.entries(codeToNames).filter(([code]) => !isFace(code))
  const others = [...faces, ...rest].flatMap(([code, names]) => {
    const free = names.filter((name) => !taken.has(name))
    const [name] = free
    if (name === undefined) return []
    const emoji: Emoji = { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }
    return [toChoice(emoji, free, categoryOf(code), details.get(code))]
  })
  return [...own, ...others]
}

const toChoice = (
  emoji: Emoji,
  names: readonly string[],
  category: EmojiChoice['category'],
  { keywords = [], toned = [] }: Partial<EmojiDetail> = {},
): EmojiChoice => ({
  ...emoji,
  keywords,
  toned,
  key: keyOfEmoji(emoji),
  names,
  category,
})

/**
 * Returns the emoji that have a name with all words of the query, or a keyword that starts with the query. Names that
 * start with the query come first, and keywords come last.
 */
export function searchEmoji(choices: readonly EmojiChoice[], query: string): EmojiChoice[] {
  const text = plain(query).split(' ').filter(Boolean)
  const start = text.join(' ')
  const rankOf = (name: string) => {
    if (!text.every((word) => name.includes(word))) return NO_MATCH
    // Among names that start with the query, users mean shorter ones more often.
    return name === start ? 0 : name.startsWith(start) ? 1 + name.length / 1000 : 2
  }
  return choices
    .map((choice) => {
      const rank = Math.min(...choice.names.map((name) => rankOf(plain(name))))
      const isKeyword = rank === NO_MATCH && choice.keywords.some((word) => word.startsWith(start))
      return { choice, rank: isKeyword ? BY_KEYWORD : rank }
    })
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((one, other) => one.rank - other.rank)
    .map(({ choice }) => choice)
}

const BY_KEYWORD = 3
const NO_MATCH = 4

const plain = (name: string) => readableName(name.trim()).toLowerCase().replaceAll(':', '')

/** The choices by the organization's emoji. */
const built = new WeakMap<Organization['realm_emoji'], EmojiChoice[]>()

/** Loads all emoji with their keywords and skin tones. Rejects with `ApiError` or `NotLoadedError`. */
export async function loadEmojiChoices(
  client: QueryClient,
  { realm_emoji }: Pick<Organization, 'realm_emoji'>,
): Promise<EmojiChoice[]> {
  const known = built.get(realm_emoji)
  if (known !== undefined) return known
  const [names, details] = await Promise.all([client.ensureQueryData(unicodeNames), loadDetails()])
  const choices = toEmojiChoices(names, realm_emoji, details)
  built.set(realm_emoji, choices)
  return choices
}

const loadDetails = () => loadPart(() => import('./emoji-details.ts')).then(({ EMOJI_DETAILS }) => EMOJI_DETAILS)

/** The maximum number of recently used emoji that are kept. */
const MAX_COUNT = 18

const storageKey = (userId: number) => `parley.emoji.${userId}`

/** Returns the keys of the user's recently used emoji in this browser, latest first. */
export function recentEmoji(userId: number): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

export function addRecentEmoji(userId: number, key: string): void {
  if (!storesPersonalData()) return
  try {
    const others = recentEmoji(userId).filter((one) => one !== key)
    localStorage.setItem(storageKey(userId), JSON.stringify([key, ...others].slice(0, MAX_COUNT)))
  } catch {
    // Without storage, there are no recent emoji.
  }
}

/** Returns an emoji name for a file name. It consists of lowercase letters, digits, dashes, underscores and periods. */
export const toEmojiName = (fileName: string): string =>
  fileName
    .replace(/\.\w+$/, '')
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^0-9a-z.-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(0, 100)
    .replace(/[._-]+$/, '')
