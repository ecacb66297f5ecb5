import { QueryClient } from '@tanstack/react-query'
import { isPassing, retryAfterOf } from '../api/api-error.ts'

/** What is known stays true until an event says otherwise, so nothing is asked for again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isPassing(error),
      retryDelay: (failures, error) => retryAfterOf(error) ?? 1000 * 2 ** failures,
    },
  },
})
