import { QueryClient } from '@tanstack/react-query'
import { isTransientError, retryAfterOf } from '../api/api-error.ts'

/** What is known stays true until an event says otherwise, so nothing is asked for again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isTransientError(error),
      retryDelay: (failures, error) => retryAfterOf(error) ?? 1000 * 2 ** failures,
    },
  },
})

/** Fetches again what the page shows as failed though only the server was away. */
export function refetchFailed(): void {
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' && isTransientError(state.error),
  })
}
