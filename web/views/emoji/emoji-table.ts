import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import type { Organization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { type Emoji, keyOfEmoji, readableName } from './emoji.ts'
import { type Category, categoryOf, isFace } from './emoji-categories.ts'
import type { EmojiDetail, EmojiDetails } from './emoji-details.ts'

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
export const unicodeNames = queryOptions({
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
