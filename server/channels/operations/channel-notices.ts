import { equalSettings } from '../../groups/group.ts'
import { findRealmGroups } from '../../groups/queries.ts'
import { channelLink, fenceFor, nameInBold, silentGroupMention } from '../../messages/sending/names.ts'
import { prepareThreadNotice, silentMention } from '../../messages/sending/notices.ts'
import { saveMessage } from '../../messages/sending/send-message.ts'
import type { GroupSetting } from '../../organizations/realms/group-setting.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { UNLIMITED } from '../../organizations/realms/retention.ts'
import { findUsersById } from '../../people/users/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { Channel } from '../channel.ts'
import { type Privacy, samePrivacy } from '../privacy.ts'

/** Where the notification bot says in a channel what becomes of it. */
const TOPIC = 'channel events'

/** Says in the channel what the actor has changed of it, each change apart; in an archived one nothing is said. */
export async function postChangeNotices(tx: Transaction, actor: Actor, before: Channel, after: Channel): Promise<void> {
  if (after.archivedAt !== null) return
  for (const change of await describeChanges(tx.db, actor.realm, before, after)) {
    await saveMessage(tx, await prepareChannelNotice(tx, actor, after, `${silentMention(actor)} ${change}`))
  }
}

/** Says in a channel that it is archived now, which nobody has to read. To be called before nothing can be said there. */
export async function postArchiveNotice(tx: Transaction, actor: Actor, channel: Channel): Promise<void> {
  const notice = await prepareChannelNotice(tx, actor, channel, `Channel ${channelLink(channel)} has been archived.`)
  await saveMessage(tx, { ...notice, isNewsTo: () => false })
}

/** What the actor wrote refers to what they may know of, whoever says it. */
const prepareChannelNotice = ({ db, now }: Transaction, actor: Actor, channel: Channel, content: string) =>
  prepareThreadNotice(db, actor.realm, { channel, topic: TOPIC, content, knownTo: { actor, now } })

async function describeChanges(db: Db, realm: Realm, before: Channel, after: Channel): Promise<string[]> {
  const changes: string[] = []
  if (!samePrivacy(before, after)) {
    const [from, to] = [before, after].map(privacyName)
    changes.push(`changed the access permissions for this channel from **${from}** to **${to}**.`)
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
    changes.push(`renamed channel ${nameInBold(before.name)} to ${nameInBold(after.name)}.`)
  }
  const [from, to] = [before.settings.can_send_message_group, after.settings.can_send_message_group]
  if (!equalSettings(from, to)) {
    const [old, now] = [
      await describeGroupSetting(db, after.realmId, from),
      await describeGroupSetting(db, after.realmId, to),
    ]
    changes.push(`changed the posting permissions for this channel:\n\n* **Old**: ${old}\n* **New**: ${now}`)
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
  // A block that begins in a quote would go on behind it.
  const shown = /^\s*(?:`{3}|~{3})/.test(description) ? 'text' : 'quote'
  const fence = fenceFor(description, 4)
  return `\n${fence} ${shown}\n${description || '*No description.*'}\n${fence}`
}

/** The groups and people of a setting, mentioned in silence: those that were there first come first. */
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
