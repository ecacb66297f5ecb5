import { z } from 'zod'
import { invalidChannelId, mayNotAdminister, requireAdministrableChannel, requireChannel } from '#channels/access.ts'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { insufficientPermission, mustBeOwner, noSuchBot, requireManageableBot } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { requireSystemBot } from '#people/bots.ts'
import { deleteAddresses, ensureToken, toLocalPart } from './addresses/channel-addresses.ts'

// The email addresses of channels: everyone who knows one can post to the channel as the sender that the address was
// made for. An address works while the user who asked for it may post there, and until it is deleted.

const sender_id = z
  .int()
  .min(0)
  .optional()
  .describe('The sender of the messages: you, one of your bots, or the Email Gateway bot, which is the default.')

/** Returns the id of the sender. Refuses users other than the caller, and bots that the caller may not manage. */
async function requireSenderId({ db, actor }: Call, given: number | undefined): Promise<number> {
  const gateway = await requireSystemBot(db, 'emailgateway')
  if (given === undefined || given === gateway.id) return gateway.id
  return given === actor.id ? actor.id : (await requireManageableBot(db, actor, given)).id
}

const flag = (fallback: boolean, description: string) => z.boolean().default(fallback).describe(description)

const getAddress = endpoint({
  route: 'GET /streams/{stream_id}/email_address',
  summary: 'Get the email address of a channel',
  description:
    'Emails to the address become messages in the channel, with the subject as the topic. The address is secret, and ' +
    'belongs to you: emails are refused while you may not post in the channel. If the sender is one of your bots, they ' +
    'are refused while the bot may not, or after you can no longer manage it. Empty if the server does not receive ' +
    'email. All parameters but `sender_id` are our own.',
  who: 'user',
  holdsSecrets: true,
  params: {
    sender_id,
    show_sender: flag(true, 'Whether messages begin with the sender of the email.'),
    include_footer: flag(false, 'Whether messages contain signatures.'),
    include_quotes: flag(false, 'Whether messages contain the quoted text of replies.'),
    prefer_html: flag(false, 'Whether the HTML of an email is used although it has plain text, too.'),
  },
  returns: { email: z.string() },
  refuses: [invalidChannelId, noSuchBot, insufficientPermission, mustBeOwner],
  async handle(call, params) {
    const { db, actor, clock, settings } = call
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    const senderId = await requireSenderId(call, params.sender_id)
    if (settings.MAIL_IN_DOMAIN === '') return { email: '' }
    const token = await ensureToken(call, { channelId: channel.id, creatorId: actor.id, senderId })
    const local = toLocalPart(channel.name, token, {
      showsSender: params.show_sender,
      keepsFooter: params.include_footer,
      keepsQuotes: params.include_quotes,
      prefersHtml: params.prefer_html,
    })
    return { email: `${local}@${settings.MAIL_IN_DOMAIN}` }
  },
})

const deleteAddress = endpoint({
  route: 'DELETE /streams/{stream_id}/email_address',
  summary: 'Delete the email address of a channel',
  description:
    'Emails to your address with this sender are refused from now on; the next request for it returns another. With ' +
    '`all`, administrators of the channel delete all of its addresses. An endpoint of our own.',
  who: 'user',
  params: { sender_id, all: flag(false, 'Whether to delete the addresses of all users.') },
  refuses: [invalidChannelId, noSuchBot, insufficientPermission, mustBeOwner, mayNotAdminister],
  async handle(call, { stream_id, sender_id: given, all }) {
    const { db, actor, clock, transaction } = call
    const viewer = viewerOf(db, actor, clock.now())
    const channel = all ? await requireAdministrableChannel(viewer, stream_id) : await requireChannel(viewer, stream_id)
    const of = all ? {} : { creatorId: actor.id, senderId: await requireSenderId(call, given) }
    await transaction(async (tx) => {
      await deleteAddresses(tx, { channelId: channel.id, ...of })
      await recordAudit(tx, actor.realmId, 'channel_addresses_deleted', { targetId: channel.id, all })
    })
    return {}
  },
})

export const mailInEndpoints = [getAddress, deleteAddress]
