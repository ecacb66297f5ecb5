import { notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query'
import { isTransientError, retryAfterOf } from '../api/api-error.ts'
import type { AnswerOf } from '../api/call.ts'

// Changes to queries are rendered together with changes to the stores, not in separate tasks.
notifyManager.setScheduler(queueMicrotask)

/** Events keep all data up to date, so no query is fetched again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Browsers may report a lost connection although the server can be reached. If it cannot, calls fail at once.
    queries: {
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isTransientError(error),
      retryDelay: (failures, error) => retryAfterOf(error) ?? 1000 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * The time that conversations are kept after the user has left them, in milliseconds. Meanwhile events keep them up to
 * date, and they open without a connection, also after a reload.
 */
export const CONVERSATIONS_KEPT_FOR = 3_600_000

/** Replaces the data of a query. If the data must be fetched again, it still must be. */
export function replaceQueryData(queryKey: QueryKey, data: unknown): void {
  const query = queryClient.getQueryCache().find({ queryKey })
  const isInvalidated = query?.state.isInvalidated
  queryClient.setQueryData(queryKey, data)
  if (isInvalidated) query?.invalidate()
}

/** Refetches queries that failed because the server was unreachable. */
export function refetchFailed(): void {
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' && isTransientError(state.error),
  })
}

export const DOMAINS_KEY = ['domains']

export const EXPORTS_KEY = ['exports']

export const CONSENTS_KEY = ['export consents']

/** The default personal settings of new accounts, by their names in the API. */
export type Defaults = NonNullable<AnswerOf<'POST /register'>['realm_user_settings_defaults']>

export const DEFAULTS_KEY = ['default settings']

/**
 * Changes a default setting if the default settings were fetched. The initial state leaves them out, because few people
 * need them.
 */
export const setDefault = (name: string, value: unknown): void =>
  void queryClient.setQueryData<Defaults>(DEFAULTS_KEY, (known) => known && { ...known, [name]: value })

/** The query key of deactivated groups. The initial state has only active groups. */
export const DEACTIVATED_GROUPS_KEY = ['deactivated-groups'] as const

export const refreshDeactivatedGroups = () => void queryClient.invalidateQueries({ queryKey: DEACTIVATED_GROUPS_KEY })

export const SNIPPETS_KEY = ['snippets'] as const

/** The query key of the commands of bots, which are fetched when the user types the first command. */
export const BOT_COMMANDS_KEY = ['bot-commands'] as const

/** Fetches the saved snippets again if a screen shows them, or when a screen next needs them. */
export function applySnippets(): void {
  void queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })
}
