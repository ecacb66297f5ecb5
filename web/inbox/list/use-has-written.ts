import { useQuery } from '@tanstack/react-query'
import { fetchRange } from '../../messages/messages.ts'
import { useOrganizationPart } from '../../store/organization.ts'

/** Returns true if the user has sent a message, in the channel if one is given; undefined until that is known. */
export function useHasWritten(isEnabled: boolean, channelId?: number): boolean | undefined {
  const userId = useOrganizationPart(({ user_id }) => user_id)
  return useQuery({
    queryKey: ['has-written', userId, channelId],
    queryFn: async ({ signal }) => {
      const inChannel = channelId === undefined ? '' : ` channel:${channelId}`
      const own = { kind: 'search', query: `from:${userId}${inChannel}` } as const
      return (await fetchRange(own, 'newest', 1, 0, signal)).messages.length > 0
    },
    enabled: isEnabled,
    refetchOnMount: 'always',
  }).data
}
