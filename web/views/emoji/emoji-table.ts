import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import type { Organization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { type Emoji, keyOfEmoji, readableName } from './emoji.ts'
import { type Category, categoryOf, isFace } from './emoji-categories.ts'

/** An emoji of the picker. `names` are all its search terms; the first one is shown. */
export type EmojiChoice = Emoji & {
  readonly key: string
  readonly names: readonly string[]
  readonly category: Category | 'Own'
}

const ROUTE = '/static/emoji/names.json'

type CodeToNames = Readonly<Record<string, readonly string[]>>

/** The server's table of Unicode emoji: names by code. */
export const unicodeNames = queryOptions({
  queryKey: ['emoji-names'],
  queryFn: async ({ signal }) => {
    const failure = (status: number) =>
      new ApiError(t('The emoji names couldn’t be loaded.'), {
        status,
        code: 'UNREACHABLE',
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

/** Returns all emoji of the picker: custom ones first, which replace others of the same name, then faces. */
export function toEmojiChoices(codeToNames: CodeToNames, realmEmoji: Organization['realm_emoji']): EmojiChoice[] {
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
    return [toChoice({ emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }, free, categoryOf(code))]
  })
  return [...own, ...others]
}

const toChoice = (emoji: Emoji, names: readonly string[], category: EmojiChoice['category']): EmojiChoice => ({
  ...emoji,
  key: keyOfEmoji(emoji),
  names,
  category,
})

/** Returns the emoji with all words of the query in one name; names that start with the query come first. */
export function searchEmoji(choices: readonly EmojiChoice[], query: string): EmojiChoice[] {
  const text = plain(query).split(' ').filter(Boolean)
  const start = text.join(' ')
  const rankOf = (name: string) => {
    if (!text.every((word) => name.includes(word))) return 3
    return name === start ? 0 : name.startsWith(start) ? 1 : 2
  }
  return choices
    .map((choice) => ({ choice, rank: Math.min(...choice.names.map((name) => rankOf(plain(name)))) }))
    .filter(({ rank }) => rank < 3)
    .sort((one, other) => one.rank - other.rank)
    .map(({ choice }) => choice)
}

const plain = (name: string) => readableName(name.trim()).toLowerCase().replaceAll(':', '')
