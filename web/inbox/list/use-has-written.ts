import { useQuery } from '@tanstack/react-query'
import { fetchRange } from '../../messages/messages.ts'
import { useOrganizationPart } from '../../store/organization.ts'

/** Returns true if the user has sent a message; undefined until that is known. */
export function useHasWritten(isEnabled: boolean): boolean | undefined {
  const userId = useOrganizationPart(({ user_id }) => user_id)
  return useQuery({
    queryKey: ['has-written', userId],
    queryFn: async ({ signal }) => {
      const own = { kind: 'search', query: `from:${userId}` } as const
      return (await fetchRange(own, 'newest', 1, 0, signal)).messages.length > 0
    },
    enabled: isEnabled,
    refetchOnMount: 'always',
  }).data
}
