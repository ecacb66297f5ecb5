import { type Privacy, samePrivacy } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { equalSettings } from '#groups/group.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import {
  boldName,
  channelLinkMarkdown,
  fenceFor,
  silentGroupMention,
  silentMention,
} from '#messages/notice-markdown.ts'
import { prepareTopicNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { UNLIMITED } from '#realms/message-retention.ts'
import type { Realm } from '#realms/realm.ts'
import type { GroupSetting } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The messages in a channel about changes of the channel. They are sent in the transaction of the change, by the
// notification bot.

/** The topic in which the notification bot posts about changes to the channel. */
const TOPIC = 'channel events'

const ACCESS = '[access permissions](/help/change-a-channel)'
const POSTING = '[posting permissions](/help/change-a-channel)'

/** Posts a message for each change that the actor made to the channel. Posts nothing in archived channels. */
export async function postChangeNotices(tx: Transaction, actor: Actor, before: Channel, after: Channel): Promise<void> {
  if (after.archivedAt !== null) return
  for (const change of await describeChanges(tx.db, actor.realm, before, after)) {
    await sendMessage(tx, await prepareChannelNotice(tx, actor, after, `${silentMention(actor)} ${change}`))
  }
}

/**
 * Posts that the channel has been archived, as a message that counts as read for everyone. Call this before archiving
 * the channel, because nothing can be posted afterwards.
 */
export async function postArchiveNotice(tx: Transaction, actor: Actor, channel: Channel): Promise<void> {
  const notice = await prepareChannelNotice(
    tx,
    actor,
    channel,
    `Channel ${channelLinkMarkdown(channel)} has been archived.`,
  )
  await sendMessage(tx, { ...notice, isUnreadFor: () => false })
}

/** Posts that the channel is no longer archived, as a message that counts as read for everyone. */
export async function postUnarchiveNotice(tx: Transaction, actor: Actor, channel: Channel): Promise<void> {
  const content = `Channel ${channelLinkMarkdown(channel)} has been un-archived.`
  await sendMessage(tx, { ...(await prepareChannelNotice(tx, actor, channel, content)), isUnreadFor: () => false })
}

/** Names in the message refer to channels and users that the actor may see, although the bot posts the message. */
const prepareChannelNotice = ({ db, now }: Transaction, actor: Actor, channel: Channel, content: string) =>
  prepareTopicNotice(db, actor.realm, { channel, topic: TOPIC, content, visibleTo: viewerOf(db, actor, now) })

async function describeChanges(db: Db, realm: Realm, before: Channel, after: Channel): Promise<string[]> {
  const changes: string[] = []
  if (!samePrivacy(before, after)) {
    const [from, to] = [before, after].map(privacyName)
    changes.push(`changed the ${ACCESS} for this channel from **${from}** to **${to}**.`)
  }
  const [oldDays, newDays] = [retentionDays(realm, before), retentionDays(realm, after)]
  if (oldDays !== newDays) {
    const periods = `* **Old retention period**: ${formatPeriod(oldDays)}\n* **New retention period**: ${formatPeriod(newDays)}`
    changes.push(
      `has changed the message retention period for this channel:\n${periods}\n\n${describeRetention(newDays)}`,
    )
  }
  if (before.description !== after.description) {
    const [from, to] = [before, after].map(quoteDescription)
    changes.push(
      `changed the description for this channel.\n\n* **Old description:**${from}\n* **New description:**${to}`,
    )
  }
  if (before.name !== after.name) {
    changes.push(`renamed channel ${boldName(before.name)} to ${boldName(after.name)}.`)
  }
  const [from, to] = [before.settings.can_send_message_group, after.settings.can_send_message_group]
  if (!equalSettings(from, to)) {
    const [old, now] = [
      await describeGroupSetting(db, after.realmId, from),
      await describeGroupSetting(db, after.realmId, to),
    ]
    changes.push(`changed the ${POSTING} for this channel:\n\n* **Old**: ${old}\n* **New**: ${now}`)
  }
  return changes
}

function privacyName({ isPrivate, isWebPublic, isHistoryShared }: Privacy): string {
  if (isPrivate) return isHistoryShared ? 'Private, shared history' : 'Private, protected history'
  return isWebPublic ? 'Web-public' : 'Public'
}

const retentionDays = ({ settings }: Realm, { messageRetentionDays }: Channel) =>
  messageRetentionDays ?? settings.message_retention_days

const formatPeriod = (days: number) => (days === UNLIMITED ? 'Forever' : `${days} days`)

function describeRetention(days: number): string {
  if (days === UNLIMITED) return 'Messages in this channel will now be retained forever.'
  return `Messages in this channel will now be automatically deleted ${days} days after they are sent.`
}

function quoteDescription({ description }: Channel): string {
  // A code block that begins inside a quote would continue after it.
  const blockType = /^\s*(?:`{3}|~{3})/.test(description) ? 'text' : 'quote'
  const fence = fenceFor(description, 4)
  return `\n${fence} ${blockType}\n${description || '*No description.*'}\n${fence}`
}

/** Returns silent mentions of the groups and users in a setting, each ordered by id. */
async function describeGroupSetting(db: Db, realmId: number, setting: GroupSetting): Promise<string> {
  if (typeof setting === 'string') return silentGroupMention(setting)
  const isGroup = typeof setting === 'number'
  const [groupIds, userIds] = isGroup ? [[setting], []] : [setting.direct_subgroups, setting.direct_members]
  const { byId } = await findRealmGroups(db, realmId)
  const groups = groupIds.toSorted(ascending).map((id) => silentGroupMention(byId.get(id)?.name ?? ''))
  const people = (await findUsersById(db, userIds)).toSorted((one, other) => ascending(one.id, other.id))
  return [...groups, ...people.map(silentMention)].join(', ')
}

const ascending = (one: number, other: number) => one - other
