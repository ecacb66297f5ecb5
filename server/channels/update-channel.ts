import { requireChangedGroupSetting } from '#groups/access.ts'
import { equalSettings, type RealmGroups, toGroupSettingJson } from '#groups/group.ts'
import { findRealmGroups, lockRealmGroups } from '#groups/queries.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { requireAdministrator, requireOwner } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import { requireRetention } from '#realms/message-retention.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { channelIdSettings, type GroupSetting, type GroupSettingUpdate } from '#realms/realm-settings.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  defaultCannotBePrivate,
  isViewerSubscribed,
  type Privacy,
  type PrivacyRequest,
  privacyName,
  requireChangedPrivacy,
  requireMaySetPrivacy,
  samePrivacy,
} from './access.ts'
import { channelChanged, channelsDeleted, findActiveUsers, findAudience } from './audience.ts'
import {
  type Channel,
  type ChannelSettingName,
  type ChannelSettings,
  channelSettingDeclarations,
  channelSettingNames,
  type Description,
  isAnnouncementPolicy,
  toPostPolicy,
} from './channel.ts'
import { requireAllowedNewChannelSize } from './create-channel.ts'
import { findDefaultChannelIds, requireUniqueChannelName, saveChannelFields, saveChannelSettings } from './queries.ts'
import { setDefaultChannel } from './set-default-channel.ts'
import { emitNewlyVisibleChannels, trackUserVisibility } from './visibility.ts'

// Changes of channels: properties, privacy, permissions, default channels, and archiving. If one of several changes
// is refused, nothing changes. Users who can see a channel only since the change receive it, and those who no longer
// can receive its deletion.

type ChangeEvent = ReturnType<typeof channelChanged>

/**
 * Runs `write`, which changes the channel from `before` to `after`, and emits the change. Users who can no longer see
 * the channel receive its deletion. Users who could not see it before receive its creation. All others who can see it
 * receive an update.
 */
async function emitChannelUpdate(
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
  await recordChanges(tx, channel, changed)
  // Shortening a channel must always be possible.
  if (sizeOf(changed) > sizeOf(channel)) await requireAllowedNewChannelSize(tx, actor)
  return changed
}

/** Records what differs. Descriptions are texts that members write, so only the change itself is recorded. */
async function recordChanges(tx: Transaction, before: Channel, after: Channel): Promise<void> {
  const record = (property: string, from: GroupSetting | string | null, to: GroupSetting | string | null) =>
    recordAudit(tx, after.realmId, 'channel_changed', { targetId: after.id, property, from, to })
  if (after.name !== before.name) await record('name', before.name, after.name)
  if (after.description !== before.description) await record('description', null, null)
  if (!samePrivacy(before, after)) await record('privacy', privacyName(before), privacyName(after))
  if (after.messageRetentionDays !== before.messageRetentionDays)
    await record('message_retention_days', before.messageRetentionDays, after.messageRetentionDays)
  for (const name of channelSettingNames)
    if (!equalSettings(after.settings[name], before.settings[name]))
      await record(name, before.settings[name], after.settings[name])
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
    const rule = { setting: name, excludes: channelSettingDeclarations[name].excludes }
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
  await recordAudit(tx, realm.id, 'channel_archived', { targetId: channel.id })
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
    const change = { setting: property, from: channel.id, to: NO_CHANNEL }
    await recordAudit(tx, realm.id, 'organization_changed', change)
    tx.emit(realm.id, { type: 'realm', op: 'update', property, value: NO_CHANNEL } as const, everyone)
  }
}
