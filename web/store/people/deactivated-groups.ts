import { queryClient } from '../query-client.ts'

/** The query key of deactivated groups, which `register` does not return. */
export const DEACTIVATED_GROUPS_KEY = ['deactivated-groups'] as const

export const refreshDeactivatedGroups = () => void queryClient.invalidateQueries({ queryKey: DEACTIVATED_GROUPS_KEY })
