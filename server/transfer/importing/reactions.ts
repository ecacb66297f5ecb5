import { unicodeEmojiNames } from '#markdown/emoji.ts'
import type { ReactionType } from '#messages/message.ts'
import { isExtraEmoji } from '#realms/emoji.ts'
import { insertRowsInTurn } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportReport } from './import-report.ts'
import type { NewMessageId } from './messages.ts'
import type { ExportData } from './read-export.ts'
import { readMessageFiles } from './scan-messages.ts'
import type { ReactionRow } from './shapes.ts'
import type { ImportedUsers } from './users.ts'

type ImportedEmoji = { emojiName: string; emojiCode: string; reactionType: ReactionType }

type GivenEmoji = Pick<ReactionRow, 'emoji_name' | 'emoji_code' | 'reaction_type'>

/** Returns the corresponding emoji; null if it is unknown. */
export function toReactionEmoji(given: GivenEmoji, emojiIds: ReadonlyMap<number, number>): ImportedEmoji | null {
  const { emoji_name: emojiName, emoji_code: code, reaction_type: type } = given
  if (type === 'realm_emoji') {
    const id = emojiIds.get(Number(code))
    return id === undefined ? null : { emojiName, emojiCode: String(id), reactionType: 'realm_emoji' }
  }
  if (type !== 'unicode_emoji')
    return isExtraEmoji(code) ? { emojiName: code, emojiCode: code, reactionType: 'service_extra_emoji' } : null
  const names = unicodeEmojiNames(code)
  const name = names.includes(emojiName) ? emojiName : names[0]
  return name === undefined ? null : { emojiName: name, emojiCode: code, reactionType: 'unicode_emoji' }
}

type Parts = {
  accounts: ImportedUsers
  emojiIds: ReadonlyMap<number, number>
  newId: NewMessageId
  report: ImportReport
}

/**
 * Imports the reactions in realm.json and in the files of messages; returns their number. Older exports have all
 * reactions in realm.json.
 */
export async function importReactions(tx: Transaction, data: ExportData, parts: Parts): Promise<number> {
  const seen = new Set<string>()
  const importThose = async (rows: readonly ReactionRow[]) => {
    const reactions = rows.flatMap((row) => toReaction(row, parts) ?? [])
    const fresh = reactions.filter(({ messageId, userId, reactionType, emojiCode }) => {
      const key = `${messageId} ${userId} ${reactionType} ${emojiCode}`
      return !seen.has(key) && seen.add(key)
    })
    await insertRowsInTurn(tx, 'reactions', fresh)
  }
  await importThose(data.reactions)
  for await (const file of readMessageFiles(data)) if (file.reactions.length > 0) await importThose(file.reactions)
  return seen.size
}

function toReaction(row: ReactionRow, { accounts, emojiIds, newId, report }: Parts) {
  const emoji = toReactionEmoji(row, emojiIds)
  if (emoji === null) {
    report.add('reactions', 'their emoji are unknown here')
    return null
  }
  return { messageId: newId(row.message), userId: accounts.get(row.user_profile)!.id, ...emoji }
}
