import { limitByNetwork } from '../../../http/limits/limit-by-network.ts'
import type { RateRule } from '../../../http/limits/rate-limit.ts'
import { catchRefusal } from '../../../http/pages/catch-refusal.ts'
import { page } from '../../../http/pages/page.ts'
import { Refusal } from '../../../platform/errors/refusal.ts'
import { requireUsablePassword } from '../passwords/passwords.ts'

/** The maximum number of passwords that are checked for a network in one minute. */
const RULES_PER_NETWORK: readonly RateRule[] = [[60, 120]]

/** The maximum length of a field, in UTF-16 code units. No valid password or name is longer. */
const MAX_LENGTH = 1000

/**
 * Returns the problem with a new password, or null, so that forms agree with the rule while the user types. Nothing is
 * stored.
 */
export const checkPassword = page({
  route: 'POST /accounts/password/check/',
  who: 'anyone',
  fields: ['password', 'email', 'organization'],
  async handle(call, given) {
    await limitByNetwork(call, 'password checks', RULES_PER_NETWORK)
    const [password, email, organization] = [given.password, given.email, given.organization].map((text) =>
      text.slice(0, MAX_LENGTH),
    ) as [string, string, string]
    const checked = await catchRefusal(async () =>
      requireUsablePassword(password, { email: email.trim(), organization }, call.settings),
    )
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store' },
      body: JSON.stringify({ problem: checked instanceof Refusal ? checked.message : null }),
    }
  },
})
