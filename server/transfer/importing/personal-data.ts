import { topicKey } from '#channels/topic.ts'
import { saveUserTopics, VisibilityPolicy } from '#channels/user-topics.ts'
import { saveAlertWords } from '#people/alert-words.ts'
import { saveMutedUser } from '#people/mutes.ts'
import {
  type FieldData,
  FieldType,
  isFieldType,
  type ProfileField,
  renderValue,
  requireFieldData,
  requireValue,
  saveProfileField,
  saveProfileValue,
} from '#people/profile-fields.ts'
import { saveStatus } from '#people/statuses.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { MAX_LENGTH, MAX_STATUS_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportedChannels } from './channels.ts'
import { requireTopicOf } from './edit-history.ts'
import type { ImportReport } from './import-report.ts'
import { toReactionEmoji } from './reactions.ts'
import { type ExportData, nullIfRefused } from './read-export.ts'
import type { ImportedUsers } from './users.ts'

type ProfileParts = { realm: Realm; accounts: ImportedUsers; report: ImportReport }

/** Imports the custom profile fields in order, and their values. */
export async function importProfiles(tx: Transaction, data: ExportData, parts: ProfileParts): Promise<void> {
  const fields = new Map<number, ProfileField>()
  const rows = data.profileFields.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0) || one.id - other.id)
  for (const row of rows) {
    const type = isFieldType(row.field_type) ? row.field_type : null
    const data = type && nullIfRefused(() => requireFieldData(type, parse(row.field_data)))
    if (type === null || data === null) {
      parts.report.add('profile fields', 'these field types are not supported')
      continue
    }
    const field = {
      name: cut(row.name, MAX_LENGTH.profileFieldName),
      type,
      hint: cut(row.hint, MAX_LENGTH.profileFieldHint),
      data,
      isInSummary: row.display_in_profile_summary ?? false,
      isRequired: row.required ?? false,
      isEditable: row.editable_by_user ?? true,
    }
    const id = await saveProfileField(tx, parts.realm.id, field)
    fields.set(row.id, { ...field, id, position: id })
  }
  const realmUrl = realmAddress(parts.realm.subdomain, tx.db.settings.EXTERNAL_URL).url
  for (const row of data.profileValues) {
    const field = fields.get(row.field)
    const value = field && fitValue(field, row.value, parts.accounts)
    if (field === undefined || value === undefined || value === null) {
      parts.report.add('profile field values', 'they are not valid here')
      continue
    }
    const userId = parts.accounts.get(row.user_profile)!.id
    await saveProfileValue(tx, { userId, fieldId: field.id, value, renderedValue: renderValue(field, value, realmUrl) })
  }
}

const cut = (text: string, limit: number) => Array.from(text.trim()).slice(0, limit).join('')

function parse(text: string): FieldData {
  try {
    return Object(JSON.parse(text || '{}')) as FieldData
  } catch {
    return {}
  }
}

/** Returns null if the value is not valid for the field. */
function fitValue(field: ProfileField, given: string, accounts: ImportedUsers): string | null {
  if (field.type !== FieldType.people) return nullIfRefused(() => requireValue(field, given))
  const ids = /^\[[\d, ]*\]$/.test(given) ? (given.match(/\d+/g) ?? []) : null
  return ids && JSON.stringify(ids.flatMap((id) => accounts.get(Number(id))?.id ?? []))
}

type PersonalParts = {
  accounts: ImportedUsers
  channels: ImportedChannels
  emojiIds: ReadonlyMap<number, number>
  report: ImportReport
}

/** The maximum length of an alert word, in characters. */
const MAX_WORD_LENGTH = 100

/** Imports personal data: alert words, statuses, muted users, and topic policies. */
export async function importPersonal(tx: Transaction, data: ExportData, parts: PersonalParts): Promise<void> {
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
