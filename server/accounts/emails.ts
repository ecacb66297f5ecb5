import { z } from 'zod'
import { findSignInMethods } from '#identity/providers.ts'
import { t } from '#lib/text.ts'
import { type EmailBlock, type RenderedEmail, renderLayout, type TemplateContext } from '#mail/emails.ts'
import { queueMail } from '#mail/outbox.ts'
import { timezoneOr } from '#people/settings.ts'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

// The emails about new accounts, logins in new browsers, and bots. Those about changes of an account are in
// email-templates.ts.

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
export function welcomeEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
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
export function loginEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
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

export const BOT_TEMPLATE = 'bot-changed'

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
export async function botEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
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
