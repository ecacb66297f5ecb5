import { equalSettings } from '#groups/group.ts'
import { toGroupSettingJson } from '#groups/membership.ts'
import { findRealmGroups, type RealmGroups } from '#groups/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { findAudience } from './audience.ts'
import { type Channel, channelSettingNames } from './channel.ts'
import { isAnnouncementPolicy, toPostPolicy } from './channel-json.ts'
import { channelChanged, channelsDeleted } from './events.ts'
import { samePrivacy } from './privacy.ts'
import { emitNewlyVisibleChannels } from './track-channel-visibility.ts'

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
