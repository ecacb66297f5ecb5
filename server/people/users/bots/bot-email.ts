import { z } from 'zod'
import { t } from '#lib/text/t.ts'
import type { RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { queueMail } from '#mail/outbox.ts'
import type { Transaction } from '#storage/storage.ts'
import { fillTemplate } from '../fill-template.ts'
import { findUser } from '../queries.ts'
import type { User } from '../user.ts'

export const BOT_TEMPLATE = 'bot-changed'

const botChange = z.object({
  /** The user who gets the email, the bot, and the user who changed it. */
  userId: z.int(),
  botId: z.int(),
  actorId: z.int(),
  change: z.enum(['created', 'owner changed', 'keys replaced', 'url changed']),
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
  if (owner.deactivatedAt !== null || (owner.id === actor.id && change !== 'created')) return
  const data = { userId: owner.id, botId: bot.id, actorId: actor.id, change }
  await queueMail(tx, { realmId: owner.realmId, recipient: owner.deliveryEmail, letter: BOT_TEMPLATE, data })
}

/** Renders the email about a new or changed bot. */
export async function botEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId, botId, actorId, change } = botChange.parse(data)
  const [bot, actor] = [await findUser(context.db, botId), await findUser(context.db, actorId)]
  if (bot === null || actor === null) return null
  const [name, by] = [bot.fullName, actor.fullName]
  return fillTemplate(context, userId, ({ realm, url }) => {
    switch (change) {
      case 'created':
        return {
          subject: t('New bot {name} at {realm}', { name, realm }),
          blocks: [
            t('You created the bot {name} at {url}. It has an API key of its own.', { name, url }),
            t(
              'If this was not you, someone else is using your account. Choose a new password and revoke all API keys:',
            ),
            { button: t('Choose a new password'), url: `${url}/accounts/password/reset/` },
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
