import { topicKey } from '#channels/topic.ts'
import { saveUserTopics } from '#channels/user-topics/queries.ts'
import { VisibilityPolicy } from '#channels/user-topics/user-topic.ts'
import { saveAlertWords } from '#people/alert-words/queries.ts'
import { saveMutedUser } from '#people/mutes/queries.ts'
import { saveStatus } from '#people/statuses/queries.ts'
import { MAX_STATUS_LENGTH } from '#people/statuses/status.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportedChannels } from './channels.ts'
import type { ImportReport } from './import-report.ts'
import { toReactionEmoji } from './reactions.ts'
import type { ExportData } from './read-export.ts'
import { requireTopicOf } from './topics.ts'
import type { ImportedUsers } from './users.ts'

type Parts = {
  accounts: ImportedUsers
  channels: ImportedChannels
  emojiIds: ReadonlyMap<number, number>
  report: ImportReport
}

/** The maximum length of an alert word, in characters. */
const MAX_WORD_LENGTH = 100

/** Imports personal data: alert words, statuses, muted users, and topic policies. */
export async function importPersonal(tx: Transaction, data: ExportData, parts: Parts): Promise<void> {
  const { accounts, channels, emojiIds, report } = parts
  const idOf = (oldId: number) => accounts.get(oldId)!.id
  for (const [user, rows] of Map.groupBy(data.alertWords, (row) => row.user_profile)) {
    const words = rows.map(({ word }) => word.trim()).filter((word) => word !== '' && word.length <= MAX_WORD_LENGTH)
    report.add('alert words', 'they exceed the maximum length', rows.length - words.length)
    await saveAlertWords(tx, idOf(user), words)
  }
  for (const row of data.statuses) {
    const emoji = row.emoji_name === '' ? null : toReactionEmoji(row, emojiIds)
    if (row.emoji_name !== '' && emoji === null) report.add('status emoji', 'they are unknown here')
    const text = Array.from(row.status_text.trim()).slice(0, MAX_STATUS_LENGTH).join('')
    await saveStatus(tx, idOf(row.user_profile), { text, emoji, endsAt: row.scheduled_end_time ?? null })
  }
  for (const { user_profile, muted_user } of data.mutedUsers) {
    const muted = accounts.get(muted_user)
    if (muted === undefined) report.add('muted users', 'they are not in the export')
    else await saveMutedUser(tx, idOf(user_profile), muted.id)
  }
  for (const { user_profile, stream, topic_name, visibility_policy } of data.userTopics) {
    const policy = Object.values(VisibilityPolicy).find((one) => one === (visibility_policy ?? VisibilityPolicy.muted))
    const channel = channels.get(stream)
    if (policy === undefined || policy === VisibilityPolicy.inherit || channel === undefined) continue
    const topic = requireTopicOf(topic_name)
    const thread = { channelId: channel.id, topic, topicKey: topicKey(topic) }
    await saveUserTopics(tx, [idOf(user_profile)], thread, policy)
  }
}
