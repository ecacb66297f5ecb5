import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { findSignInMethods } from '#identity/providers.ts'
import { t } from '#lib/text.ts'
import { queueMail, queueMails } from '#mail/outbox.ts'
import {
  type EmailBlock,
  type EmailTemplates,
  type RenderedEmail,
  renderLayout,
  type TemplateContext,
} from '#mail/render-email.ts'
import { findPasswordHash } from '#people/password-hashes.ts'
import { findUser } from '#people/user-queries.ts'
import { timezoneOr } from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
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
  isResetBlocked,
  PASSWORD_RESET_TEMPLATE,
  type PasswordReset,
  passwordReset,
  passwordResetKey,
} from './reset-password.ts'

// The emails about accounts: welcome, logins in new browsers, bots, confirmations, notices about changes, password resets,
// and lists of organizations. Each checks when it is sent that its reason still exists.

type TemplateData = {
  user: User
  realm: string
  url: string
  /** False if the organization has turned passwords off. */
  usesPasswords: boolean
}

/** Renders an email to a user about their account. Returns null if the account or the organization no longer exists. */
export async function fillTemplate(
  { db }: TemplateContext,
  userId: number,
  write: (facts: TemplateData) => { subject: string; blocks: EmailBlock[] },
): Promise<RenderedEmail | null> {
  const user = await findUser(db, userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  if (user === null || realm === null) return null
  const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
  const { isPasswordEnabled: usesPasswords } = await findSignInMethods(db, realm)
  const { subject, blocks } = write({ user, realm: realm.name, url, usesPasswords })
  const page = renderLayout({
    heading: subject,
    blocks,
    footer: t('You received this email because you have an account at {url}.', { url }),
  })
  return { subject, ...page, list: { name: realm.name, host: hostName } }
}

/**
 * Returns what users do if someone else uses their account: `text` and a button to choose a new password, or what helps
 * without passwords.
 */
export const ifItWasNotYou = (
  { usesPasswords, url }: Pick<TemplateData, 'usesPasswords' | 'url'>,
  text: string,
): EmailBlock[] =>
  usesPasswords
    ? [text, { button: t('Choose a new password'), url: `${url}/accounts/password/reset/` }]
    : [
        t(
          'If it was not you, someone else is using your account. Log out all other browsers, revoke your API keys, and tell an administrator of the organization:',
        ),
        { button: t('Open account settings'), url: `${url}/settings/account` },
      ]

export const WELCOME_TEMPLATE = 'welcome'

const welcome = z.object({ userId: z.int() })

/**
 * Renders the email to a new user. It contains the URL of the organization, the email address for logging in, and first
 * steps.
 */
function welcomeEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId } = welcome.parse(data)
  return fillTemplate(context, userId, ({ user, realm, url }) => ({
    subject: t('Welcome to {realm}', { realm }),
    blocks: [
      t('You now have an account at {realm}. Keep this email, because you need these details to log in:', { realm }),
      {
        items: [
          t('Organization URL: {url}', { url }),
          t('Email address for login: {email}', { email: user.deliveryEmail }),
        ],
      },
      { button: t('Open {realm}', { realm }), url },
      { heading: t('First steps') },
      {
        items: [
          t('Add a picture in your settings, so that people recognize you.'),
          t('Browse the channels, and join the ones you want to follow.'),
          t('Say hello: choose a channel, name a topic, and send a message.'),
        ],
      },
      t('The help pages explain each step:'),
      { button: t('Open help'), url: `${url}/help` },
    ],
  }))
}

export const NEW_LOGIN_TEMPLATE = 'new-login'

const newLogin = z.object({
  userId: z.int(),
  at: z.number(),
  /** The names of the browser and the operating system; empty if they are unknown. */
  browser: z.string(),
  address: z.string(),
})

/** Renders the email about a login in a new browser. */
function loginEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId, at, browser, address } = newLogin.parse(data)
  return fillTemplate(context, userId, ({ user, realm, url, usesPasswords }) => ({
    subject: t('New login to your account at {realm}', { realm }),
    blocks: [
      t('Someone, probably you, logged in to your account at {url} with a browser that you have not used recently.', {
        url,
      }),
      {
        items: [
          t('Time: {time}', { time: formatTime(user, at) }),
          browser === '' ? t('Browser: unknown') : t('Browser: {browser}', { browser }),
          t('IP address: {address}', { address }),
        ],
      },
      t('If this was you, you do not need to do anything.'),
      ...ifItWasNotYou(
        { usesPasswords, url },
        t('If it was not you, choose a new password now to log out all browsers:'),
      ),
      t('You can also see which browsers are logged in:'),
      { button: t('Open account settings'), url: `${url}/settings/account` },
      t('You can turn off these emails in your notification settings.'),
    ],
  }))
}

/**
 * Formats a time in the user's time zone, with the name of the time zone. It uses the 12-hour or 24-hour format that
 * the user chose.
 */
export function formatTime({ timezone, settings }: User, time: number): string {
  const format = new Intl.DateTimeFormat('en', {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: timezoneOr(timezone, 'UTC'),
    hourCycle: settings.twenty_four_hour_time ? 'h23' : 'h12',
  })
  return format.format(time * 1000)
}

const BOT_TEMPLATE = 'bot-changed'

const botChange = z.object({
  /** The user who gets the email, the bot, and the user who changed it; null for the operator of the server. */
  userId: z.int(),
  botId: z.int(),
  actorId: z.int().nullable(),
  change: z.enum(['created', 'owner changed', 'keys replaced', 'key added', 'url changed']),
})

type BotChange = z.infer<typeof botChange>['change']

/**
 * Emails a user about a change that gives someone access to messages of their bot. Only for a new bot does the email
 * go to the user who made the change, because someone else may have used their browser.
 */
export async function notifyBotChange(
  tx: Transaction,
  { owner, actor, bot }: { owner: User; actor: Pick<User, 'id'>; bot: Pick<User, 'id'> },
  change: BotChange,
): Promise<void> {
  const actorId = tx.origin.by === 'command' ? null : actor.id
  if (owner.deactivatedAt !== null || (owner.id === actorId && change !== 'created')) return
  const data = { userId: owner.id, botId: bot.id, actorId, change }
  await queueMail(tx, { realmId: owner.realmId, recipient: owner.deliveryEmail, letter: BOT_TEMPLATE, data })
}

/** Renders the email about a new or changed bot. */
async function botEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId, botId, actorId, change } = botChange.parse(data)
  const bot = await findUser(context.db, botId)
  const actor = actorId === null ? null : await findUser(context.db, actorId)
  if (bot === null || (actor === null && actorId !== null)) return null
  const { fullName: name } = bot
  return fillTemplate(context, userId, ({ realm, url, usesPasswords }) => {
    const by = actor?.fullName ?? t('The operator of the server')
    switch (change) {
      case 'created':
        if (actor === null)
          return {
            subject: t('New bot {name} at {realm}', { name, realm }),
            blocks: [
              t('{by} created the bot {name} for you at {url}. It has an API key of its own.', { by, name, url }),
              { button: t('Open your bots'), url: `${url}/settings/bots` },
            ],
          }
        return {
          subject: t('New bot {name} at {realm}', { name, realm }),
          blocks: [
            t('You created the bot {name} at {url}. It has an API key of its own.', { name, url }),
            ...ifItWasNotYou(
              { usesPasswords, url },
              t(
                'If this was not you, someone else is using your account. Choose a new password and revoke all API keys:',
              ),
            ),
            t('Then deactivate the bot:'),
            { button: t('Open your bots'), url: `${url}/settings/bots` },
          ],
        }
      case 'owner changed':
        return {
          subject: t('Your bot {name} at {realm} has a new owner', { name, realm }),
          blocks: [
            t('{by} gave your bot {name} at {url} to another user. Its API keys have stopped working.', {
              by,
              name,
              url,
            }),
            t('The new owner can create an API key, and read the messages that the bot has received.'),
          ],
        }
      case 'keys replaced':
        return {
          subject: t('New API key for your bot {name} at {realm}', { name, realm }),
          blocks: [
            t('{by} replaced the API keys of your bot {name} at {url}. The earlier keys have stopped working.', {
              by,
              name,
              url,
            }),
            t('With the new key, {by} can read the messages that the bot has received.', { by }),
          ],
        }
      case 'key added':
        return {
          subject: t('New API key for your bot {name} at {realm}', { name, realm }),
          blocks: [
            t('{by} added an API key to your bot {name} at {url}. The earlier keys still work.', { by, name, url }),
            t('With the new key, {by} can read the messages that the bot has received.', { by }),
          ],
        }
      case 'url changed':
        return {
          subject: t('New endpoint URL for your bot {name} at {realm}', { name, realm }),
          blocks: [
            t('{by} changed the URL to which your bot {name} at {url} sends messages.', { by, name, url }),
            { button: t('Open your bots'), url: `${url}/settings/bots` },
          ],
        }
    }
  })
}

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
