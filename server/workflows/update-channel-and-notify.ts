import { z } from 'zod'
import {
  defaultCannotBePrivate,
  invalidChannelId,
  invalidPrivacy,
  mayNotAdminister,
  privateCannotBeDefault,
  requireAdministrableChannel,
  webPublicNotEnabled,
} from '#channels/access.ts'
import {
  type Channel,
  channelNameCharacter,
  channelNameEmpty,
  channelNameTooLong,
  descriptionTooLong,
  mapChannelSettings,
  requireDescription,
} from '#channels/channel.ts'
import { channelSizeRefusals } from '#channels/create-channel.ts'
import { channelSettingUpdateParams } from '#channels/endpoints.ts'
import { channelNameTaken, lockChannel, sameChannelName } from '#channels/queries.ts'
import * as update from '#channels/update-channel.ts'
import { expectationMismatch, groupSettingRefusals } from '#groups/access.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission, mustBeAdministrator, mustBeOwner } from '#people/access.ts'
import type { Actor } from '#people/users.ts'
import { invalidRetention, retentionParam } from '#realms/message-retention.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { notArchived, unarchiveChannel } from './archive-channel.ts'
import { postChangeNotices, postUnarchiveNotice } from './channel-notices.ts'

// The call that changes a channel, or makes an archived one usable again: channels/update-channel.ts does it, and
// here each change is posted in the channel.

const optionalFlag = (meaning: string) => z.boolean().optional().describe(meaning)

async function restore(tx: Transaction, actor: Actor, channel: Channel): Promise<Channel> {
  // The realm is locked before a message is saved, as in every transaction that does both.
  const realm = await lockRealm(tx, actor.realmId)
  const restored = await unarchiveChannel(tx, realm, channel)
  await postUnarchiveNotice(tx, actor, restored)
  return restored
}

export const updateChannelEndpoint = endpoint({
  route: 'PATCH /streams/{stream_id}',
  summary: 'Change a channel',
  description: 'Parameters that are omitted stay the same. If any change is refused, nothing is changed.',
  who: 'user',
  params: {
    description: z.string().optional(),
    new_name: z.string().optional(),
    is_private: optionalFlag('Whether only subscribers, and users who may join, can read the channel.'),
    is_web_public: optionalFlag('Whether the channel can be read on the web without an account.'),
    history_public_to_subscribers: optionalFlag(
      'Whether subscribers can read messages that were sent before they joined.',
    ),
    is_default_stream: optionalFlag('Whether new users are subscribed to the channel.'),
    message_retention_days: retentionParam.optional().describe('Days, "unlimited" or "realm_default".'),
    is_archived: z
      .boolean()
      .optional()
      .describe(
        'False makes an archived channel usable again, with its subscribers. True is ignored: `DELETE` archives it.',
      ),
    ...channelSettingUpdateParams,
  },
  refuses: [
    invalidChannelId,
    mayNotAdminister,
    notArchived,
    insufficientPermission,
    mustBeAdministrator,
    mustBeOwner,
    descriptionTooLong,
    ...channelSizeRefusals,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    sameChannelName,
    channelNameTaken,
    update.moderationChannelMustBePrivate,
    update.contentAccessRequired,
    invalidPrivacy,
    webPublicNotEnabled,
    defaultCannotBePrivate,
    privateCannotBeDefault,
    invalidRetention,
    ...groupSettingRefusals,
    expectationMismatch,
  ],
  async handle({ transaction, actor, settings }, params) {
    await transaction(async (tx) => {
      const { id } = await requireAdministrableChannel(viewerOf(tx.db, actor, tx.now), params.stream_id)
      const locked = await lockChannel(tx, id)
      const channel = params.is_archived === false ? await restore(tx, actor, locked) : locked
      const changed = await update.updateChannel(tx, actor, channel, {
        name: params.new_name,
        description:
          params.description === undefined
            ? undefined
            : requireDescription(params.description, actor.realm, settings.EXTERNAL_URL),
        privacy: {
          isPrivate: params.is_private,
          isWebPublic: params.is_web_public,
          isHistoryShared: params.history_public_to_subscribers,
        },
        isDefault: params.is_default_stream,
        messageRetentionDays: params.message_retention_days,
        settings: mapChannelSettings((name) => params[name]),
      })
      await postChangeNotices(tx, actor, channel, changed)
    })
    return {}
  },
})
