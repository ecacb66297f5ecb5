import { invalidChannelId } from '#channels/access.ts'
import { findChannel } from '#channels/queries.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { channelIdSettings, type RealmSettings } from '#realms/settings.ts'
import type { Db } from '#storage/storage.ts'

export const moderationChannelNotPrivate = refusal('BAD_REQUEST', 400, 'Moderation request channel must be private.', {
  field: 'moderation_request_channel_id',
})

const NO_CHANNEL = -1

/** Refuses settings that contain the id of a missing or unsuitable channel. */
export async function requireChannelSettings(db: Db, realmId: number, settings: Partial<RealmSettings>): Promise<void> {
  for (const name of channelIdSettings) {
    const id = settings[name]
    if (id === undefined || id === NO_CHANNEL) continue
    const channel = await findChannel(db, realmId, id)
    if (channel === null || channel.archivedAt !== null) throw invalidChannelId()
    if (name === 'moderation_request_channel_id' && !channel.isPrivate) throw moderationChannelNotPrivate()
  }
}
