import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type AnswerOf, call } from '../api/call.ts'
import { type Person, useOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'

export type Bot = AnswerOf<'GET /bots'>['bots'][number]

const KEY = 'bots'

export const refreshBots = (): void => void queryClient.invalidateQueries({ queryKey: [KEY] })

/** Returns the user's active bots, refetched when an event changes one. */
export function useOwnBots(): UseQueryResult<Bot[]> {
  const { realm_users, user_id } = useOrganization('realm_users', 'user_id')
  const own = realm_users.filter(({ bot_owner_id }) => bot_owner_id === user_id)
  return useQuery({
    queryKey: [KEY, own.map(({ user_id, full_name, avatar_url }) => [user_id, full_name, avatar_url])],
    queryFn: async ({ signal }) => (await call('GET /bots', {}, { signal })).bots,
    placeholderData: keepPreviousData,
  })
}

export function useDeactivatedBots(): Person[] {
  const { realm_non_active_users, user_id } = useOrganization('realm_non_active_users', 'user_id')
  return realm_non_active_users.filter(({ bot_owner_id }) => bot_owner_id === user_id)
}

/** Returns the email address that a bot authenticates with; rejects with `ApiError`. */
export async function fetchAddress(botId: number): Promise<string> {
  const { bots } = await call('GET /bots', {})
  return bots.find(({ user_id }) => user_id === botId)?.username ?? ''
}

/** The fields of the form for bots, by the field names that the server uses in errors. */
export const botFields = {
  full_name: 'name',
  short_name: 'shortName',
  payload_url: 'url',
  service_payload_url: 'url',
} as const

export type BotField = (typeof botFields)[keyof typeof botFields]

/** Returns a short name for a bot. It consists of lowercase letters, digits and hyphens. */
export const toShortName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$|-bot-*$/g, '')
