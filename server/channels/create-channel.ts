import { sql } from 'kysely'
import { requireGroupSetting } from '#groups/access.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { hasDailyLimits, requireOwner } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findAccountIdsOfPerson } from '#people/creation-limits.ts'
import type { Actor } from '#people/users.ts'
import { requireRetention } from '#realms/message-retention.ts'
import type { Realm } from '#realms/realm.ts'
import type { AnonymousGroup } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  defaultCannotBePrivate,
  type PrivacyRequest,
  privacyName,
  requireMayCreateDefaultChannel,
  requireMaySetPrivacy,
  requireNewPrivacy,
} from './access.ts'
import { newChannelActivity } from './activity.ts'
import { channelsCreated, findAudience } from './audience.ts'
import {
  type Channel,
  type ChannelSettingName,
  type ChannelSettings,
  channelSettingDeclarations,
  toChannelJson,
} from './channel.ts'
import { type NewChannel, saveChannel } from './queries.ts'
import { setDefaultChannel } from './set-default-channel.ts'

// The creation of channels: who may create which, how much all channels of one person may take, and the events. The
// creator is not subscribed here; subscribing also creates channels.

/** A channel that is about to be created. The caller has checked that its name is unused. */
type ChannelPlan = Omit<NewChannel, 'realmId'> & { isDefault: boolean }

/** The properties that a request sets for the channels that it creates. */
export type NewChannelRequest = {
  privacy: PrivacyRequest
  isDefault: boolean
  messageRetentionDays?: string | number | undefined
  settings: { [Name in ChannelSettingName]?: number | AnonymousGroup | undefined }
}

/**
 * Returns the properties of the channels to create, except their names and descriptions. Refuses if the actor may not
 * create such channels.
 */
export async function requireNewChannelPlan(
  viewer: Viewer,
  request: NewChannelRequest,
): Promise<Omit<ChannelPlan, 'name' | 'description' | 'renderedDescription'>> {
  const { db, actor } = viewer
  const privacy = requireNewPrivacy(request.privacy)
  await requireMaySetPrivacy(viewer, privacy)
  if (request.isDefault) requireMayCreateDefaultChannel(actor)
  if (request.isDefault && privacy.isPrivate) throw defaultCannotBePrivate()
  const messageRetentionDays = requireRetention(request.messageRetentionDays ?? 'realm_default')
  if (messageRetentionDays !== null) requireOwner(actor)
  const settings = await requireSettings(db, actor, request.settings)
  return { ...privacy, isDefault: request.isDefault, messageRetentionDays, settings, creatorId: actor.id }
}

async function requireSettings(
  db: Db,
  actor: Actor,
  given: NewChannelRequest['settings'],
): Promise<Partial<ChannelSettings>> {
  const settings: Partial<ChannelSettings> = {}
  for (const [name, value] of Object.entries(given) as [ChannelSettingName, number | AnonymousGroup | undefined][]) {
    if (value === undefined) continue
    settings[name] = await requireGroupSetting(db, actor, value, {
      setting: name,
      excludes: channelSettingDeclarations[name].excludes,
    })
  }
  return settings
}

/**
 * The maximum total sizes, in bytes, of the descriptions and permissions of the channels that one user creates: of
 * those created in the last 24 hours, and of all.
 */
const MAX_NEW_BYTES = 1_000_000
const MAX_BYTES = 2_000_000

/** The bytes that each channel counts in addition, for its name and its other properties. */
const BYTES_PER_CHANNEL = 1000

const newChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The descriptions and permissions of your new channels are too long in total (limit: ${MAX_NEW_BYTES} bytes in 24 hours).`,
)
const ownChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The channels that you created are too large in total (limit: ${MAX_BYTES} bytes; each counts ${BYTES_PER_CHANNEL} bytes more than its description and permissions). Shorten their descriptions, or ask an administrator to create more channels.`,
)
export const channelSizeRefusals = [newChannelsTooLong, ownChannelsTooLong]

/**
 * Refuses if the channels that the actor created, in the last 24 hours or in total, exceed the maximum sizes, because
 * every client downloads them. Archived channels count. Call this after saving channels.
 */
export async function requireAllowedNewChannelSize({ db, now }: Transaction, actor: Actor): Promise<void> {
  if (!hasDailyLimits(actor)) return
  const size = sql<number>`octet_length("description") + octet_length("renderedDescription") + octet_length("settings")`
  const { ofNew, ofAll } = await db
    .selectFrom('channels')
    .select([
      sql<number>`coalesce(sum(case when "createdAt" > ${now - SECONDS_PER_DAY} then ${size} else 0 end), 0)`.as(
        'ofNew',
      ),
      sql<number>`coalesce(sum(${size} + ${sql.lit(BYTES_PER_CHANNEL)}), 0)`.as('ofAll'),
    ])
    .where('creatorId', 'in', await findAccountIdsOfPerson(db, actor))
    .executeTakeFirstOrThrow()
  if (ofNew > MAX_NEW_BYTES) throw newChannelsTooLong()
  if (ofAll > MAX_BYTES) throw ownChannelsTooLong()
}

/** Creates a channel without subscribers, and emits it to the users who may see it. */
export async function createChannel(tx: Transaction, realm: Realm, plan: ChannelPlan): Promise<Channel> {
  const { isDefault, ...fields } = plan
  const channel = await saveChannel(tx, { ...fields, realmId: realm.id })
  await recordAudit(tx, realm.id, 'channel_created', {
    ...(tx.origin.by === 'request' && { actorId: channel.creatorId }),
    targetId: channel.id,
    privacy: privacyName(channel),
  })
  const groups = await findRealmGroups(tx.db, realm.id)
  const created = channelsCreated([toChannelJson(channel, newChannelActivity, groups)])
  tx.emit(realm.id, created, await findAudience(tx.db, realm, channel, tx.now))
  if (isDefault) await setDefaultChannel(tx, realm, channel, true)
  return channel
}
