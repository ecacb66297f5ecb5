import { sql } from 'kysely'
import { requireChangedGroupSetting } from '#groups/access.ts'
import { equalSettings, type RealmGroups, toGroupSettingJson } from '#groups/group.ts'
import { findRealmGroups, lockRealmGroups } from '#groups/queries.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { hasDailyLimits, requireAdministrator, requireOwner } from '#people/access.ts'
import { DAY, findAccountIdsOfPerson } from '#people/limits.ts'
import type { Actor } from '#people/users.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { requireRetention } from '#realms/retention.ts'
import { channelIdSettings, type GroupSettingUpdate } from '#realms/settings.ts'
import { hasContentAccess } from '#rules/channel-rules.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  defaultCannotBePrivate,
  isViewerSubscribed,
  type Privacy,
  type PrivacyRequest,
  requireChangedPrivacy,
  requireMaySetPrivacy,
  samePrivacy,
} from './access.ts'
import {
  channelChanged,
  channelsCreated,
  channelsDeleted,
  defaultChannelsChanged,
  findActiveUsers,
  findAudience,
} from './audience.ts'
import {
  type Channel,
  type ChannelSettingName,
  type ChannelSettings,
  channelSettingExclusions,
  channelSettingNames,
  type Description,
  isAnnouncementPolicy,
  newChannelActivity,
  toChannelJson,
  toPostPolicy,
} from './channel.ts'
import {
  deleteDefaultChannel,
  findDefaultChannelIds,
  type NewChannel,
  requireUniqueChannelName,
  saveChannel,
  saveChannelFields,
  saveChannelSettings,
  saveDefaultChannel,
} from './queries.ts'
import { emitNewlyVisibleChannels, trackUserVisibility } from './visibility.ts'

export const privateCannotBeDefault = refusal('BAD_REQUEST', 400, 'Private channels cannot be made default.')

/**
 * Adds the channel to the default channels, or removes it from them if `isDefault` is false. Does nothing if there is
 * nothing to change.
 */
export async function setDefaultChannel(
  tx: Transaction,
  realm: Realm,
  channel: Channel,
  isDefault: boolean,
): Promise<void> {
  if (isDefault && channel.isPrivate) throw privateCannotBeDefault()
  const before = await findDefaultChannelIds(tx.db, realm.id)
  if (before.has(channel.id) === isDefault) return

  if (isDefault) await saveDefaultChannel(tx, realm.id, channel.id)
  else await deleteDefaultChannel(tx, realm.id, channel.id)
  const ids = await findDefaultChannelIds(tx.db, realm.id)
  const { memberIds } = await findActiveUsers(tx.db, realm.id)
  tx.emit(realm.id, defaultChannelsChanged([...ids].sort((one, other) => one - other)), memberIds)
}

/** A channel that is about to be created. The caller has checked that its name is unused. */
export type ChannelPlan = Omit<NewChannel, 'realmId'> & { isDefault: boolean }

/** Creates a channel without subscribers, and emits it to the users who may see it. */
export async function createChannel(tx: Transaction, realm: Realm, plan: ChannelPlan): Promise<Channel> {
  const { isDefault, ...fields } = plan
  const channel = await saveChannel(tx, { ...fields, realmId: realm.id })
  const groups = await findRealmGroups(tx.db, realm.id)
  const created = channelsCreated([toChannelJson(channel, newChannelActivity, groups)])
  tx.emit(realm.id, created, await findAudience(tx.db, realm, channel, tx.now))
  if (isDefault) await setDefaultChannel(tx, realm, channel, true)
  return channel
}

/**
 * The maximum total sizes, in bytes, of the descriptions and permissions of the channels that one user creates: of
 * those created in the last 24 hours, and of all.
 */
const MAX_NEW_BYTES = 1_000_000
const MAX_BYTES = 2_000_000

/** The bytes that each channel counts in addition, for its name and its other properties. */
const BYTES_PER_CHANNEL = 1000

export const newChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The descriptions and permissions of your new channels are too long in total (limit: ${MAX_NEW_BYTES} bytes in 24 hours).`,
)
export const ownChannelsTooLong = refusal(
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
      sql<number>`coalesce(sum(case when "createdAt" > ${now - DAY} then ${size} else 0 end), 0)`.as('ofNew'),
      sql<number>`coalesce(sum(${size} + ${sql.lit(BYTES_PER_CHANNEL)}), 0)`.as('ofAll'),
    ])
    .where('creatorId', 'in', await findAccountIdsOfPerson(db, actor))
    .executeTakeFirstOrThrow()
  if (ofNew > MAX_NEW_BYTES) throw newChannelsTooLong()
  if (ofAll > MAX_BYTES) throw ownChannelsTooLong()
}

type ChangeEvent = ReturnType<typeof channelChanged>

/**
 * Runs `write`, which changes the channel from `before` to `after`, and emits the change. Users who can no longer see
 * the channel receive its deletion. Users who could not see it before receive its creation. All others who can see it
 * receive an update.
 */
export async function emitChannelUpdate(
  tx: Transaction,
  realm: Realm,
  before: Channel,
  after: Channel,
  write: () => Promise<void>,
): Promise<void> {
  const couldSee = new Set(await findAudience(tx.db, realm, before, tx.now))
  await write()
  const canSee = new Set(await findAudience(tx.db, realm, after, tx.now))
  const groups = await findRealmGroups(tx.db, realm.id)

  tx.emit(realm.id, channelsDeleted([after.id]), couldSee.difference(canSee))
  // Clients that do not support archived channels must not receive the event, so it is marked.
  const extras = after.archivedAt === null ? {} : { is_archived: true as const }
  for (const event of changeEvents(groups, before, after))
    tx.emit(realm.id, { ...event, ...extras }, couldSee.intersection(canSee))
  const newViewers = canSee.difference(couldSee)
  await emitNewlyVisibleChannels(tx, realm.id, [after], [...newViewers])
}

function changeEvents(groups: RealmGroups, before: Channel, after: Channel): ChangeEvent[] {
  const events: ChangeEvent[] = []
  if (after.name !== before.name) events.push(channelChanged(before, 'name', after.name))
  if (after.description !== before.description) {
    const extras = { rendered_description: after.renderedDescription }
    events.push(channelChanged(after, 'description', after.description, extras))
  }
  if (!samePrivacy(before, after)) {
    const extras = { history_public_to_subscribers: after.isHistoryShared, is_web_public: after.isWebPublic }
    events.push(channelChanged(after, 'invite_only', after.isPrivate, extras))
  }
  if (after.messageRetentionDays !== before.messageRetentionDays) {
    events.push(channelChanged(after, 'message_retention_days', after.messageRetentionDays))
  }
  return [...events, ...settingEvents(groups, before, after)]
}

function settingEvents(groups: RealmGroups, before: Channel, after: Channel): ChangeEvent[] {
  const events = channelSettingNames
    .filter((name) => !equalSettings(after.settings[name], before.settings[name]))
    .map((name) => channelChanged(after, name, toGroupSettingJson(groups, after.settings[name])))
  const [policy, policyBefore] = [after, before].map(({ settings }) =>
    toPostPolicy(groups, settings.can_send_message_group),
  )
  if (policy === undefined || policy === policyBefore) return events
  return [
    ...events,
    channelChanged(after, 'stream_post_policy', policy),
    channelChanged(after, 'is_announcement_only', isAnnouncementPolicy(policy)),
  ]
}

export const moderationChannelMustBePrivate = refusal(
  'BAD_REQUEST',
  400,
  'A moderation request channel cannot be public.',
)
export const contentAccessRequired = refusal('BAD_REQUEST', 400, 'Channel content access is required.')

/** The requested changes. Undefined fields stay unchanged. */
type ChannelChanges = {
  name?: string | undefined
  description?: Description | undefined
  privacy: PrivacyRequest
  isDefault?: boolean | undefined
  messageRetentionDays?: string | number | undefined
  settings: { [Name in ChannelSettingName]?: GroupSettingUpdate | undefined }
}

/**
 * Changes a channel that the actor may administer. If any change is refused, nothing changes. Returns the changed
 * channel.
 */
export async function updateChannel(
  tx: Transaction,
  actor: Actor,
  channel: Channel,
  changes: ChannelChanges,
): Promise<Channel> {
  const privacy = await requirePrivacyChange(tx, actor, channel, changes)
  if (changes.isDefault !== undefined) requireAdministrator(actor)
  const fields = { ...changes.description, ...privacy, ...changedRetention(actor, channel, changes) }
  const settings = await requireSettingChanges(tx, actor, channel, changes.settings)
  const name = changes.name === undefined ? {} : { name: await requireUniqueChannelName(tx, channel, changes.name) }

  const changed: Channel = { ...channel, ...fields, ...name, settings: { ...channel.settings, ...settings } }
  if (changes.isDefault !== undefined) await setDefaultChannel(tx, actor.realm, changed, changes.isDefault)
  await emitChannelUpdate(tx, actor.realm, channel, changed, async () => {
    // Sending a message takes a message id and then locks the channel. This transaction sends a message about the new
    // name, so it must use the same order.
    if (name.name !== undefined) await lockMessageIds(tx)
    if (Object.keys({ ...fields, ...name }).length > 0) await saveChannelFields(tx, channel.id, { ...fields, ...name })
    if (Object.keys(settings).length > 0) await saveChannelSettings(tx, channel.id, settings)
  })
  // Shortening a channel must always be possible.
  if (sizeOf(changed) > sizeOf(channel)) await requireAllowedNewChannelSize(tx, actor)
  return changed
}

const sizeOf = ({ description, renderedDescription, settings }: Channel) =>
  Buffer.byteLength(JSON.stringify([description, renderedDescription, settings]))

/** Returns the new privacy; empty if the request does not set it. */
async function requirePrivacyChange(
  tx: Transaction,
  actor: Actor,
  channel: Channel,
  { privacy: given, isDefault }: ChannelChanges,
): Promise<Partial<Privacy>> {
  if (Object.values(given).every((part) => part === undefined)) return {}
  const viewer = viewerOf(tx.db, actor, tx.now)
  const privacy = requireChangedPrivacy(channel, given)
  const staysDefault = isDefault ?? (await findDefaultChannelIds(tx.db, actor.realmId)).has(channel.id)
  if (privacy.isPrivate && staysDefault) throw defaultCannotBePrivate()
  if (!privacy.isPrivate && actor.realm.settings.moderation_request_channel_id === channel.id) {
    throw moderationChannelMustBePrivate()
  }
  if (privacy.isPrivate !== channel.isPrivate || privacy.isWebPublic !== channel.isWebPublic) {
    await requireMaySetPrivacy(viewer, privacy)
  }
  if (channel.isPrivate) await requireContentAccess(viewer, channel)
  return privacy
}

/** Refuses unless the actor can read the channel, because only users who can read it may open it to others. */
async function requireContentAccess(viewer: Viewer, channel: Channel): Promise<void> {
  const { actor } = viewer
  const scope = await viewer.scope()
  if (hasContentAccess(scope, actor, channel, await isViewerSubscribed(viewer, channel.id))) return
  throw contentAccessRequired()
}

function changedRetention(
  actor: Actor,
  channel: Channel,
  { messageRetentionDays: given }: ChannelChanges,
): Partial<Channel> {
  if (given === undefined) return {}
  requireOwner(actor)
  const messageRetentionDays = requireRetention(given)
  return messageRetentionDays === channel.messageRetentionDays ? {} : { messageRetentionDays }
}

const settingsThatGrantAccess: ReadonlySet<string> = new Set(['can_add_subscribers_group', 'can_subscribe_group'])

/** Returns the new settings. Locks the groups, so that no group in the settings is deactivated meanwhile. */
async function requireSettingChanges(
  tx: Transaction,
  actor: Actor,
  channel: Channel,
  updates: ChannelChanges['settings'],
): Promise<Partial<ChannelSettings>> {
  const settings: Partial<ChannelSettings> = {}
  if (Object.values(updates).some((update) => update !== undefined)) await lockRealmGroups(tx, actor.realmId)
  const viewer = viewerOf(tx.db, actor, tx.now)
  for (const [name, update] of Object.entries(updates) as [ChannelSettingName, GroupSettingUpdate | undefined][]) {
    if (update === undefined) continue
    const rule = { setting: name, excludes: channelSettingExclusions[name] }
    settings[name] = await requireChangedGroupSetting(tx.db, actor, channel.settings[name], update, rule)
    if (channel.isPrivate && settingsThatGrantAccess.has(name)) await requireContentAccess(viewer, channel)
  }
  return settings
}

export const alreadyArchived = refusal('BAD_REQUEST', 400, 'Channel is already deactivated')

const NO_CHANNEL = -1

/**
 * Archives the channel. Its messages and subscriptions are kept. It is no longer a default channel, and settings of the
 * organization that name it are cleared.
 */
export async function archiveChannel(tx: Transaction, realm: Realm, channel: Channel): Promise<void> {
  if (channel.archivedAt !== null) throw alreadyArchived()
  await setDefaultChannel(tx, realm, channel, false)
  await clearSettingsNaming(tx, realm, channel)
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, [], [channel])
  await saveChannelFields(tx, channel.id, { archivedAt: tx.now })
  const audience = await findAudience(tx.db, realm, channel, tx.now)
  tx.emit(realm.id, channelChanged(channel, 'is_archived', true), audience)
  await emitVisibilityChanges()
}

async function clearSettingsNaming(tx: Transaction, realm: Realm, channel: Channel): Promise<void> {
  const properties = channelIdSettings.filter((name) => realm.settings[name] === channel.id)
  if (properties.length === 0) return
  await saveRealmSettings(tx, realm.id, Object.fromEntries(properties.map((name) => [name, NO_CHANNEL])))
  const everyone = (await findActiveUsers(tx.db, realm.id)).ids
  for (const property of properties) {
    tx.emit(realm.id, { type: 'realm', op: 'update', property, value: NO_CHANNEL } as const, everyone)
  }
}
