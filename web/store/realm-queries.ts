import type { AnswerOf } from '../api/types.ts'
import { queryClient } from './query-client.ts'

export const DOMAINS_KEY = ['domains']

export const EXPORTS_KEY = ['exports']

export const CONSENTS_KEY = ['export consents']

/** The default personal settings of new accounts, by their names in the API. */
export type Defaults = NonNullable<AnswerOf<'POST /register'>['realm_user_settings_defaults']>

export const DEFAULTS_KEY = ['default settings']

/**
 * Changes a default setting if the default settings were fetched. The initial state leaves them out, because few people
 * need them.
 */
export const setDefault = (name: string, value: unknown): void =>
  void queryClient.setQueryData<Defaults>(DEFAULTS_KEY, (known) => known && { ...known, [name]: value })
