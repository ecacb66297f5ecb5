import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { t } from '#lib/text.ts'
import {
  type EmailBlock,
  type EmailTemplates,
  type RenderedEmail,
  renderLayout,
  type TemplateContext,
} from '#mail/emails.ts'
import { queueMails } from '#mail/outbox.ts'
import { findPasswordHash } from '#people/password-hashes.ts'
import { findUser } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type EmailChange,
  emailChange,
  emailChangeKey,
  emailUndoKey,
  findEmailChangeRequest,
} from './email-change-requests.ts'
import {
  BOT_TEMPLATE,
  botEmail,
  fillTemplate,
  ifItWasNotYou,
  loginEmail,
  NEW_LOGIN_TEMPLATE,
  WELCOME_TEMPLATE,
  welcomeEmail,
} from './emails.ts'
import {
  isResetBlocked,
  PASSWORD_RESET_TEMPLATE,
  type PasswordReset,
  passwordReset,
  passwordResetKey,
} from './reset-password.ts'
import { secondFactorTemplates } from './second-factor-changes.ts'

// The emails about a user's own account: confirmations, notices about changes, password resets, and lists of
// organizations. Each checks when it is sent that its reason still exists.

export const DEACTIVATION_TEMPLATE = 'account-deactivated'
export const DEMO_ENDS_TEMPLATE = 'demo-ends'
export const CONFIRM_EMAIL_TEMPLATE = 'confirm-email'
export const EMAIL_CHANGE_NOTICE_TEMPLATE = 'email-change-notice'
export const OWN_EMAIL_CHANGE_NOTICE_TEMPLATE = 'own-email-change-notice'
export const EMAIL_CHANGED_TEMPLATE = 'email-changed'

const owner = z.object({ userId: z.int() })
const deactivation = z.object({ userId: z.int(), comment: z.string() })
const changed = z.object({ userId: z.int(), newEmail: z.string() })
const requested = z.object({ requestId: z.int() })

/** Returns the templates of the emails that users get about their own accounts. */
export function accountEmailTemplates(secret: KeyObject): EmailTemplates {
  return {
    [DEACTIVATION_TEMPLATE](data, context) {
      const { userId, comment } = deactivation.parse(data)
      return fillTemplate(context, userId, ({ realm, url }) => ({
        subject: t('Your account at {realm} was deactivated', { realm }),
        blocks: [
          t('An administrator deactivated your account at {url}. You can no longer log in. Your messages are kept.', {
            url,
          }),
          ...(comment === '' ? [] : [t('They added this comment:'), comment]),
        ],
      }))
    },
    async [DEMO_ENDS_TEMPLATE](data, context) {
      const { userId } = owner.parse(data)
      const user = await findUser(context.db, userId)
      const realm = user === null ? null : await findRealm(context.db, user.realmId)
      if (user?.deliveryEmail !== context.mail.recipient || realm === null) return null
      if (realm.demoEndsAt === null || realm.deactivatedAt !== null) return null
      const date = new Date(realm.demoEndsAt * 1000).toISOString().slice(0, 10)
      return fillTemplate(context, userId, ({ realm: name, url }) => ({
        subject: t('{name} ends on {date}', { name, date }),
        blocks: [
          t('The demo organization at {url} is deactivated on {date}. It cannot be used then.', { url, date }),
          t('To keep it, make it permanent:'),
          { button: t('Keep the organization'), url: `${url}/organization/profile` },
        ],
      }))
    },
    [CONFIRM_EMAIL_TEMPLATE]: (data, context) => confirmationEmail(secret, emailChange.parse(data), context),
    async [EMAIL_CHANGE_NOTICE_TEMPLATE](data, context) {
      const { requestId } = requested.parse(data)
      const request = await findEmailChangeRequest(context.db, requestId)
      const requester = await findRequester(context, requestId)
      if (request === null || requester === null) return null
      return fillTemplate(context, request.userId, ({ realm, url }) => ({
        subject: t('Your email address at {realm} is about to change', { realm }),
        blocks: [
          t('{requester} asked to change the email address of your account at {url} from {oldEmail} to {newEmail}.', {
            requester,
            url,
            oldEmail: request.oldEmail,
            newEmail: request.newEmail,
          }),
          t('The address changes when the new address is confirmed.'),
          t('If you do not want this, you can undo it for 72 hours, even after the new address is confirmed.'),
          { button: t('Keep the old address'), url: `${url}/accounts/undo_new_email/${emailUndoKey(secret, request)}` },
        ],
      }))
    },
    [OWN_EMAIL_CHANGE_NOTICE_TEMPLATE](data, context) {
      const { userId, newEmail } = changed.parse(data)
      return fillTemplate(context, userId, ({ realm, url, usesPasswords }) => ({
        subject: t('New email address for your account at {realm}', { realm }),
        blocks: [
          t(
            'You asked to change the email address of your account at {url} to {newEmail}. It changes when the new address is confirmed.',
            { url, newEmail },
          ),
          ...ifItWasNotYou(
            { usesPasswords, url },
            t('If you did not ask for this, someone else is using your account. Choose a new password now:'),
          ),
        ],
      }))
    },
    [EMAIL_CHANGED_TEMPLATE](data, context) {
      const { userId, newEmail } = changed.parse(data)
      return fillTemplate(context, userId, ({ realm, url }) => ({
        subject: t('Your email address at {realm} was changed', { realm }),
        blocks: [
          t('The email address of your account at {url} is now {newEmail}.', { url, newEmail }),
          t('If you did not want this, contact an administrator of the organization.'),
        ],
      }))
    },
    [BOT_TEMPLATE]: botEmail,
    [NEW_LOGIN_TEMPLATE]: loginEmail,
    [WELCOME_TEMPLATE]: welcomeEmail,
    ...secondFactorTemplates,
    [PASSWORD_RESET_TEMPLATE]: (data, context) => passwordResetEmail(secret, passwordReset.parse(data), context),
  }
}

/**
 * Renders the email with the confirmation link. Returns null if the change was requested by another user and has been
 * canceled.
 */
async function confirmationEmail(
  secret: KeyObject,
  change: EmailChange,
  context: TemplateContext,
): Promise<RenderedEmail | null> {
  const { requestId } = change
  const requester = requestId === undefined ? null : await findRequester(context, requestId)
  if (requestId !== undefined && requester === null) return null
  return fillTemplate(context, change.userId, ({ user, realm, url }) => {
    const key = emailChangeKey(secret, change, user.deliveryEmail)
    return {
      subject: t('Confirm your new email address at {realm}', { realm }),
      blocks: [
        ...(requester === null
          ? []
          : [t('{requester} asked to change the email address of your account.', { requester })]),
        user.deliveryEmail === ''
          ? t('Confirm that {newEmail} is the email address of your account at {url}.', {
              url,
              newEmail: change.newEmail,
            })
          : t('Confirm that the email address of your account at {url} should change from {oldEmail} to {newEmail}.', {
              url,
              oldEmail: user.deliveryEmail,
              newEmail: change.newEmail,
            }),
        { button: t('Confirm the new address'), url: `${url}/accounts/confirm_new_email/${key}` },
        t('The link expires after a day. If you did not ask for this, ignore this email. Nothing will change.'),
      ],
    }
  })
}

/**
 * Renders the email with the reset link, or about how to sign in if the organization has turned passwords off meanwhile.
 * Returns null if the link has expired, or if resets of the account's password are blocked.
 */
async function passwordResetEmail(
  secret: KeyObject,
  reset: PasswordReset,
  context: TemplateContext,
): Promise<RenderedEmail | null> {
  const passwordHash = await findPasswordHash(context.db, reset.userId)
  if (reset.expiresAt <= context.now || (await isResetBlocked(context.db, reset, context.now))) return null
  return fillTemplate(context, reset.userId, ({ user, realm, url, usesPasswords }) => {
    if (!usesPasswords)
      return {
        subject: t('How to sign in to {realm}', { realm }),
        blocks: [
          t('Accounts of {realm} have no passwords of their own. See how you can sign in:', { realm }),
          { button: t('Sign in'), url: `${url}/login/` },
          t('If you did not ask for this, ignore this email.'),
        ],
      }
    const key = passwordResetKey(secret, reset, { user, passwordHash })
    return {
      subject: t('Choose a new password for {realm}', { realm }),
      blocks: [
        t('Someone, probably you, asked for a new password for your account at {url}.', { url }),
        { button: t('Choose a new password'), url: `${url}/accounts/password/reset/${key}/` },
        t(
          'The link works once and expires after an hour. If you did not ask for it, ignore this email. Your password stays the same.',
        ),
      ],
    }
  })
}

/** Returns the name of the requester as it appears in emails; null if the change was canceled. */
async function findRequester({ db }: TemplateContext, requestId: number): Promise<string | null> {
  const request = await findEmailChangeRequest(db, requestId)
  if (request === null || request.cancelledAt !== null) return null
  const requester = request.requesterId === null ? null : await findUser(db, request.requesterId)
  return requester?.fullName ?? t('The operator of the server')
}

const ACCOUNT_LIST_TEMPLATE = 'account-list'

/**
 * Emails each address a list of the organizations in which it has an account. For an address without an account, it
 * queues the same email, which is canceled later. Neither the response nor its time reveals which addresses have
 * accounts.
 */
export function requestAccountLists(tx: Transaction, emails: readonly string[]): void {
  queueMails(
    tx,
    emails.map((recipient) => ({ realmId: null, recipient, letter: ACCOUNT_LIST_TEMPLATE, data: {} })),
  )
}

/** The email that lists the organizations in which an address has an account. */
export const accountListTemplates: EmailTemplates = {
  async [ACCOUNT_LIST_TEMPLATE](_, { db, mail }) {
    const realms = await findRealmsOf(db, mail.recipient)
    if (realms.length === 0) return null
    const subject = t('Your organizations')
    const externalUrl = db.settings.EXTERNAL_URL
    return {
      subject,
      ...renderLayout({
        heading: subject,
        blocks: [
          t('{email} has an account in {count, plural, one {this organization} other {these organizations}}:', {
            email: mail.recipient,
            count: realms.length,
          }),
          ...realms.map((realm): EmailBlock => {
            const { url } = realmAddress(realm.subdomain, externalUrl)
            return { button: t('Sign in to {organization}', { organization: realm.name }), url: `${url}/login/` }
          }),
        ],
        footer: t('You received this email because someone, probably you, entered your address at {url}.', {
          url: externalUrl,
        }),
      }),
    }
  },
}

/** Returns the active organizations in which a person has an active account with this address. Case is ignored. */
async function findRealmsOf(db: Db, email: string): Promise<Realm[]> {
  const rows = await db
    .selectFrom('realms')
    .innerJoin('users', 'users.realmId', 'realms.id')
    .select('realms.id')
    .where('realms.deactivatedAt', 'is', null)
    .where('users.emailKey', '=', email.toLowerCase())
    .where('users.deactivatedAt', 'is', null)
    .where('users.botType', 'is', null)
    .orderBy('realms.id')
    .execute()
  const realms = await Promise.all(rows.map(({ id }) => findRealm(db, id)))
  return realms.filter((realm) => realm !== null)
}
