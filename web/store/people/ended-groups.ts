import { queryClient } from '../query-client.ts'

/** The groups that are out of use, which `register` does not tell of. */
export const ENDED_GROUPS_KEY = ['ended-groups'] as const

export const refreshEndedGroups = () => void queryClient.invalidateQueries({ queryKey: ENDED_GROUPS_KEY })
