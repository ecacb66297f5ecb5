import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { limitByNetwork } from '#http/limits/limit-by-network.ts'
import type { RateRule } from '#http/limits/rate-limit.ts'
import { catchRefusal } from '#http/pages/catch-refusal.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import { requireUsablePassword } from '#people/users/passwords/passwords.ts'

/** The maximum number of passwords that are checked for a network in one minute. */
const RULES_PER_NETWORK: readonly RateRule[] = [[60, 120]]

/** The maximum length of a field, in UTF-16 code units. No valid password or name is longer. */
const MAX_LENGTH = 1000

/** Tells forms what is wrong with a new password while the user types, so that they agree with the rule. */
export const checkPassword = endpoint({
  route: 'POST /passwords/check',
  summary: 'Check a new password',
  description:
    'Stores nothing. It needs no credentials, because new users choose a password before they have an account.',
  who: 'anyone',
  params: {
    password: z.string(),
    email: z.string().optional().describe('The address of the account, which cannot be its password.'),
    organization: z.string().optional().describe('The name of the organization, which is easy to guess.'),
  },
  returns: { problem: z.string().nullable().describe('Null if the password is accepted.') },
  async handle(call, given) {
    await limitByNetwork(call, 'password checks', RULES_PER_NETWORK)
    const [password, email, organization] = [given.password, given.email ?? '', given.organization ?? ''].map((text) =>
      text.slice(0, MAX_LENGTH),
    ) as [string, string, string]
    const checked = await catchRefusal(async () =>
      requireUsablePassword(password, { email: email.trim(), organization }, call.settings),
    )
    return { problem: checked instanceof Refusal ? checked.message : null }
  },
})
