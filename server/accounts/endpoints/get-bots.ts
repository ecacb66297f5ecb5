import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { botDefaultFields, serviceFields, toBotJson } from '#people/users/bots/bot.ts'
import { findActiveBotsOf, findBotService } from '#people/users/bots/bot-queries.ts'

const bot = z.object({
  user_id: z.int(),
  username: z.string().describe('The API email address.'),
  full_name: z.string(),
  bot_type: z.int().nullable(),
  is_active: z.boolean(),
  owner_id: z.int().nullable(),
  avatar_url: z.string(),
  services: z.array(z.object(serviceFields)),
  ...botDefaultFields,
})

export const getBots = endpoint({
  route: 'GET /bots',
  summary: 'List the bots that you own',
  description:
    'Only active bots. Their API keys are not included. The token of an outgoing webhook is also sent with each of its messages.',
  who: 'human',
  holdsSecrets: true,
  returns: { bots: z.array(bot) },
  async handle({ db, actor, settings }) {
    const bots: z.infer<typeof bot>[] = []
    for (const account of await findActiveBotsOf(db, actor.id)) {
      const service = await findBotService(db, account.id)
      const { email, ...json } = toBotJson(account, service, actor.realm, settings.EXTERNAL_URL)
      bots.push({ ...json, username: email })
    }
    return { bots }
  },
})
