import { queryClient } from '../query-client.ts'

/** The query key of deactivated groups. The initial state has only active groups. */
export const DEACTIVATED_GROUPS_KEY = ['deactivated-groups'] as const

export const refreshDeactivatedGroups = () => void queryClient.invalidateQueries({ queryKey: DEACTIVATED_GROUPS_KEY })
