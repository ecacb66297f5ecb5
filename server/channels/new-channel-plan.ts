import { requireGroupSetting } from '#groups/access.ts'
import type { Viewer } from '#groups/viewer.ts'
import { requireOwner } from '#people/access.ts'
import type { Actor } from '#people/users.ts'
import { requireRetention } from '#realms/retention.ts'
import type { AnonymousGroup } from '#realms/settings.ts'
import type { Db } from '#storage/storage.ts'
import {
  defaultCannotBePrivate,
  type PrivacyRequest,
  requireMayCreateDefaultChannel,
  requireMaySetPrivacy,
  requireNewPrivacy,
} from './access.ts'
import { type ChannelSettingName, type ChannelSettings, channelSettingExclusions } from './channel.ts'
import type { ChannelPlan } from './channel-operations.ts'

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
      excludes: channelSettingExclusions[name],
    })
  }
  return settings
}
