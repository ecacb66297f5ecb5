import {
  limitByNetwork,
  limitGlobally,
  type RateRule,
  type RequestOrigin,
  resetGlobalLimit,
} from '#http/rate-limits.ts'
import { Refusal } from '#lib/errors.ts'
import { logSecurityEvent } from '#people/security-log.ts'
import type { User } from '#people/users.ts'
import { PASSWORDS_PER_NETWORK } from '../password-checks.ts'

/**
 * The limit of wrong codes for an account, from all networks together. Whoever enters them knows the password already,
 * or has an open session.
 */
const CODES_PER_ACCOUNT: readonly RateRule[] = [
  [1800, 5],
  [86_400, 30],
]

type AttemptCall = RequestOrigin & Parameters<typeof logSecurityEvent>[0]

const keyOf = ({ id }: User) => `second factors of account ${id}`

/** Counts an attempt to give a second factor, and refuses it after too many wrong ones. */
export async function limitSecondFactors(call: AttemptCall, user: User): Promise<void> {
  try {
    await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
    await limitGlobally(call, keyOf(user), CODES_PER_ACCOUNT)
  } catch (error) {
    if (error instanceof Refusal) logSecurityEvent(call, 'second_factor_locked', factsOf(user))
    throw error
  }
}

/** Logs a wrong second factor. */
export function logWrongFactor(call: AttemptCall, user: User): void {
  logSecurityEvent(call, 'second_factor_wrong', factsOf(user))
}

/** Forgets the wrong codes of a user who has given a right one. */
export async function resetSecondFactorLimit(call: AttemptCall, user: User): Promise<void> {
  await resetGlobalLimit(call, keyOf(user))
}

const factsOf = ({ id, realmId }: User) => ({ realmId, actorId: null, targetId: id })
