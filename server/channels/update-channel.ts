import { lockRealmGroups } from '#groups/queries.ts'
import { requireChangedGroupSetting } from '#groups/setting-values.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { requireAdministrator, requireOwner } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import type { GroupSettingUpdate } from '#realms/group-setting.ts'
import { hasContentAccess } from '#rules/channel-rules.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMaySetPrivacy } from './access.ts'
import { type Channel, type ChannelSettingName, type ChannelSettings, channelSettingExclusions } from './channel.ts'
import { findDefaultChannelIds } from './default-channel-queries.ts'
import type { Description } from './description.ts'
import { emitChannelUpdate } from './emit-channel-update.ts'
import { requireAllowedNewChannelSize } from './new-channel-size.ts'
import { isViewerSubscribed } from './own-subscription.ts'
import { defaultCannotBePrivate, type Privacy, type PrivacyRequest, requireChangedPrivacy } from './privacy.ts'
import { saveChannelFields, saveChannelSettings } from './queries.ts'
import { requireRetention } from './retention.ts'
import { setDefaultChannel } from './set-default-channel.ts'
import { requireUniqueChannelName } from './unique-channel-name.ts'

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
