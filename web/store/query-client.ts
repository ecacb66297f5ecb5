import { notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query'
import { isTransientError, retryAfterOf } from '../api/api-error.ts'

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
