import { queryClient } from '../query-client.ts'

/** The groups that are out of use, which `register` does not tell of. */
export const DEACTIVATED_GROUPS_KEY = ['ended-groups'] as const

export const refreshDeactivatedGroups = () => void queryClient.invalidateQueries({ queryKey: DEACTIVATED_GROUPS_KEY })
