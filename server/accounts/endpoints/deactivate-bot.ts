import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import {
  insufficientPermission,
  mustBeOwner,
  noSuchBot,
  requireManageableBot,
  userDeactivated,
} from '#people/users/access.ts'
import { replaceBotKeys } from '../change-bot.ts'
import { deactivateUser } from '../deactivate-user.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from './current-password.ts'

export const deactivateBot = endpoint({
  route: 'DELETE /bots/{bot_id}',
  summary: 'Deactivate a bot',
  description:
    'Requires the owner of the bot or an administrator. Bots of organization owners can only be deactivated by organization owners. Messages are kept.',
  who: 'member',
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, userDeactivated],
  async handle(call, { bot_id }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const bot = await requireManageableBot(tx.db, actor, bot_id)
      if (bot.deactivatedAt !== null) throw userDeactivated()
      await deactivateUser(tx, actor.realm, bot)
    })
    logActorEvent(call, 'account_deactivated', { targetId: bot_id })
    return {}
  },
})

export const regenerateBotApiKey = endpoint({
  route: 'POST /bots/{bot_id}/api_key/regenerate',
  summary: 'Replace all API keys of a bot',
  description:
    'Requires the owner of the bot or an administrator; for bots of organization owners, an organization owner. The new key is returned only here. The token of an outgoing webhook is also replaced.',
  who: 'member',
  params: { password: sessionPassword },
  returns: { api_key: z.string() },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, ...sessionPasswordRefusals],
  async handle(call, { bot_id, password }) {
    const { actor, client, transaction } = call
    const verified = await requirePasswordOfSession(call, password)
    const key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      const bot = await requireManageableBot(tx.db, actor, bot_id)
      return replaceBotKeys(tx, actor, bot, client)
    })
    logActorEvent(call, 'api_keys_replaced', { targetId: bot_id })
    return { api_key: key }
  },
})
