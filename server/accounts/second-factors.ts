import { z } from 'zod'
import { t } from '#lib/text.ts'
import type { EmailTemplates } from '#mail/emails.ts'
import { queueMail } from '#mail/outbox.ts'
import { recordAudit } from '#people/audit.ts'
import {
  countRecoveryCodes,
  deleteRemainsOfFactors,
  deleteSecondFactors,
  deleteTrustedBrowsers,
  replaceRecoveryCodes,
} from '#people/second-factors.ts'
import { deleteSessionsOf, type Session } from '#people/sessions.ts'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { fillTemplate, ifItWasNotYou } from './emails.ts'

// The consequences of a changed second factor: recovery codes with the first one, forgotten browsers, closed sessions,
// and an email about each change, because the person at the browser may not be the user.

const SECOND_FACTOR_TEMPLATE = 'second-factor-changed'

const factorChange = z.object({
  userId: z.int(),
  change: z.enum([
    'totp added',
    'totp removed',
    'passkey added',
    'passkey removed',
    'recovery codes replaced',
    'recovery code used',
    'reset',
  ]),
  /** The name of the passkey, or the user who reset the factors; null for all other changes and for the operator. */
  name: z.string().nullable(),
})

export type FactorChange = z.infer<typeof factorChange>['change']

/** Emails the user about a change of their second factors, and records it. */
export async function notifyFactorChange(
  tx: Transaction,
  user: User,
  change: FactorChange,
  name: string | null = null,
): Promise<void> {
  const about = { targetId: user.id }
  if (change === 'reset') await recordAudit(tx, user.realmId, 'second_factor_reset', about)
  else if (change !== 'recovery code used')
    await recordAudit(tx, user.realmId, 'second_factor_changed', { ...about, by: change })
  await queueMail(tx, {
    realmId: user.realmId,
    recipient: user.deliveryEmail,
    letter: SECOND_FACTOR_TEMPLATE,
    data: { userId: user.id, change, name },
  })
}

/** Returns the text of the email; `isHelp` is true for changes that lead to the settings, where they can be undone. */
function describe({ change, name }: z.infer<typeof factorChange>, left: number): { subject: string; text: string } {
  switch (change) {
    case 'totp added':
      return { subject: t('An authenticator app was added'), text: t('Logging in now needs a code from this app.') }
    case 'totp removed':
      return { subject: t('An authenticator app was removed'), text: t('Its codes no longer work.') }
    case 'passkey added':
      return {
        subject: t('A passkey was added'),
        text: t('The passkey “{name}” can now be used to log in.', { name: name ?? '' }),
      }
    case 'passkey removed':
      return {
        subject: t('A passkey was removed'),
        text: t('The passkey “{name}” can no longer be used to log in.', { name: name ?? '' }),
      }
    case 'recovery codes replaced':
      return { subject: t('New recovery codes'), text: t('Your earlier recovery codes no longer work.') }
    case 'recovery code used':
      return {
        subject: t('A recovery code was used'),
        text: t(
          'Someone, probably you, logged in with a recovery code. {left, plural, one {# code is} other {# codes are}} left.',
          { left },
        ),
      }
    case 'reset':
      return {
        subject: t('Two-step login was turned off'),
        text:
          name === null
            ? t('The operator of the server removed your authenticator app, passkeys and recovery codes.')
            : t('{name} removed your authenticator app, passkeys and recovery codes.', { name }),
      }
  }
}

export const secondFactorTemplates: EmailTemplates = {
  async [SECOND_FACTOR_TEMPLATE](data, context) {
    const change = factorChange.parse(data)
    const left = await countRecoveryCodes(context.db, change.userId)
    const { subject, text } = describe(change, left)
    return fillTemplate(context, change.userId, ({ realm, url, usesPasswords }) => ({
      subject: t('{change} at {realm}', { change: subject, realm }),
      blocks: [
        t('This is about your account at {url}.', { url }),
        text,
        ...ifItWasNotYou(
          { usesPasswords, url },
          t('If this was not you, choose a new password now, which logs out all browsers. Then check your settings:'),
        ),
        { button: t('Open security settings'), url: `${url}/settings/security` },
      ],
    }))
  },
}

type Keys = Parameters<typeof replaceRecoveryCodes>[1]

/**
 * Does what follows from a new factor: forgets the trusted browsers, closes the other sessions if the user wants that,
 * and emails the user. Returns the recovery codes that come with the first factor; null if there are some already.
 */
export async function afterAddingFactor(
  tx: Transaction,
  keys: Keys,
  user: User,
  {
    session,
    logsOutOthers,
    ...added
  }: {
    change: FactorChange
    name?: string
    session: Session | null
    logsOutOthers: boolean
  },
): Promise<string[] | null> {
  await deleteTrustedBrowsers(tx, user.id)
  if (logsOutOthers) await deleteSessionsOf(tx, user.id, session)
  await notifyFactorChange(tx, user, added.change, added.name)
  return (await countRecoveryCodes(tx.db, user.id)) > 0 ? null : replaceRecoveryCodes(tx, keys, user.id)
}

/** Does what follows from the removal of a factor. */
export async function afterRemovingFactor(
  tx: Transaction,
  user: User,
  change: FactorChange,
  name: string | null = null,
): Promise<void> {
  await deleteRemainsOfFactors(tx, user.id)
  await notifyFactorChange(tx, user, change, name)
}

/**
 * Removes all second factors of a user who has lost them, and emails the user. `resetter` is null for the operator.
 * Returns false if there were none.
 */
export async function resetSecondFactors(
  tx: Transaction,
  userId: number,
  resetter: Pick<User, 'fullName'> | null,
): Promise<boolean> {
  const user = await findUser(tx.db, userId)
  if (user === null || !(await deleteSecondFactors(tx, userId))) return false
  await notifyFactorChange(tx, user, 'reset', resetter?.fullName ?? null)
  return true
}
