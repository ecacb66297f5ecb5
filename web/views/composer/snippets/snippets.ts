import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { SNIPPETS_KEY } from '../../../store/events/saved-snippets.ts'
import { queryClient } from '../../../store/query-client.ts'

export type Snippet = AnswerOf<'GET /saved_snippets'>['saved_snippets'][number]

/** The maximum length of a snippet's name, in characters. */
export const MAX_NAME_LENGTH = 60

/** The user's snippets, sorted by name. */
export const ownSnippets = queryOptions({
  queryKey: SNIPPETS_KEY,
  queryFn: async ({ signal }) => (await call('GET /saved_snippets', {}, { signal })).saved_snippets.sort(byName),
})

export const refreshSnippets = () => queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })

const { compare } = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const byName = (one: Snippet, other: Snippet) => compare(one.title, other.title) || one.id - other.id
