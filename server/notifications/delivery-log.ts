import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { findReadableIds } from '#messages/narrow.ts'
import { findDeliveries, findDelivery, type OutgoingDelivery, saveWebhookCalls } from '#messages/webhook-calls.ts'
import { noSuchBot, requireOwnBot, userDeactivated } from '#people/access.ts'
import { findBotService } from '#people/bots.ts'
import type { Actor } from '#people/users.ts'
import type { Db } from '#storage/storage.ts'

// The log of an outgoing webhook: its owner and administrators see what happened to the messages of the last days, and
// send one again. The log names only messages that its reader may read.

/** The number of deliveries in a response, at most and by default. */
const MAX_NUMBER = 100
const DEFAULT_NUMBER = 20

const deliveryJson = z.strictObject({
  id: z.int(),
  message_id: z.int().nullable().describe('The message that was delivered; null if you may not read it.'),
  trigger: z.enum(['mention', 'direct_message', 'command']).describe('The reason why the bot got the message.'),
  time: z.int().describe('When the message was sent, or was sent again.'),
  outcome: z
    .enum(['waiting', 'answered', 'accepted', 'failed', 'left_out'])
    .describe(
      '`waiting`: an attempt follows or is being made. `answered`: the bot sent a message in response. `accepted`: there ' +
        'was no message to send. `failed`. `left_out`: the bot may no longer read the message.',
    ),
  status: z.int().nullable().describe('The HTTP status of the last response; null without one.'),
  attempts: z.int(),
  next_attempt_at: z.int().nullable().describe('The time of the next attempt of a delivery that waits.'),
  text: z.string().describe('The error of the last attempt; empty if there is none.'),
  can_send_again: z.boolean(),
})

const noSuchDelivery = refusal('BAD_REQUEST', 400, 'No such delivery')
const alreadyWaiting = refusal('BAD_REQUEST', 400, 'This message already waits to be delivered, or too many others do.')

/** Returns deliveries as the user sees them, who may not be able to read the messages. */
async function toDeliveriesJson(
  { db, actor, now }: { db: Db; actor: Actor; now: number },
  bot: { deactivatedAt: number | null },
  deliveries: readonly OutgoingDelivery[],
): Promise<z.output<typeof deliveryJson>[]> {
  const messageIds = deliveries.map(({ messageId }) => messageId)
  const readableIds = await findReadableIds(viewerOf(db, actor, now), messageIds)
  return deliveries.map(({ id, messageId, trigger, startedAt, outcome, status, attempts, dueAt, error }) => ({
    id,
    message_id: readableIds.has(messageId) ? messageId : null,
    trigger,
    time: Math.floor(startedAt),
    outcome,
    status,
    attempts,
    next_attempt_at: dueAt === null ? null : Math.ceil(dueAt),
    text: error,
    can_send_again: outcome !== 'waiting' && bot.deactivatedAt === null,
  }))
}

const getDeliveries = endpoint({
  route: 'GET /bots/{bot_id}/outgoing_deliveries',
  summary: 'List the messages that an outgoing webhook got',
  description:
    'The newest first, of the last seven days, at most 500. Requires the owner of the bot or an administrator. Neither ' +
    'messages nor responses are kept.',
  who: 'human',
  params: {
    before: z.int().optional().describe('Only deliveries before the one with this id.'),
    num: z.int().min(1).max(MAX_NUMBER).default(DEFAULT_NUMBER).describe('The maximum number of deliveries.'),
  },
  returns: { deliveries: z.array(deliveryJson), has_more: z.boolean() },
  refuses: [noSuchBot],
  async handle({ db, actor, clock }, { bot_id: botId, before = null, num }) {
    const bot = await requireOwnBot(db, actor, botId)
    const now = clock.now()
    const found = await findDeliveries(db, bot.id, { before, most: num + 1, now })
    const deliveries = await toDeliveriesJson({ db, actor, now }, bot, found.slice(0, num))
    return { deliveries, has_more: found.length > num }
  },
})

const sendAgain = endpoint({
  route: 'POST /bots/{bot_id}/outgoing_deliveries/{delivery_id}/send_again',
  summary: 'Send a message to an outgoing webhook again',
  description:
    'Adds a delivery to the log and makes it soon. The bot gets the message as it is now, if it may still read it. ' +
    'Requires the owner of the bot or an administrator.',
  who: 'human',
  returns: { delivery: deliveryJson },
  refuses: [noSuchBot, noSuchDelivery, userDeactivated, alreadyWaiting],
  async handle({ actor, transaction }, { bot_id: botId, delivery_id: deliveryId }) {
    const delivery = await transaction(async (tx) => {
      const { db, now } = tx
      const bot = await requireOwnBot(db, actor, botId)
      const known = await findDelivery(db, bot.id, deliveryId, now)
      if (known === null) throw noSuchDelivery()
      if (bot.deactivatedAt !== null) throw userDeactivated()
      if ((await findBotService(db, bot.id)) === null) throw noSuchBot()
      const [id] = await saveWebhookCalls(tx, [bot.id], known.messageId, known.trigger)
      const added = id === undefined ? null : await findDelivery(db, bot.id, id, now)
      if (added === null) throw alreadyWaiting()
      const [json] = await toDeliveriesJson({ db, actor, now }, bot, [added])
      return json ?? null
    })
    if (delivery === null) throw noSuchDelivery()
    return { delivery }
  },
})

/** The log of deliveries, for the owners of bots and for administrators. */
export const outgoingDeliveryEndpoints = [getDeliveries, sendAgain]
