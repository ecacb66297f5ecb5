import type { Realm } from '../../organizations/realms/realm.ts'
import { apiEmail, isBot, type User } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { toEmojiColumns } from './emoji-columns.ts'
import * as queries from './queries.ts'
import type { ExportTables, UserRow } from './tables.ts'

/** Returns the accounts without passwords and keys, the system bots, and the personal settings and data. */
export async function peopleTables(
  db: Db,
  realm: Realm,
  { users, systemBots }: queries.ExportedPeople,
): Promise<ExportTables> {
  const services = await queries.findExportedBotServices(db, realm.id)
  const values = await queries.findProfileValues(db, realm.id)
  return {
    zerver_userprofile: users.map((user) => toUserRow(user, realm, db.settings.EXTERNAL_URL)),
    zerver_userprofile_crossrealm: systemBots.map(({ id, deliveryEmail, recipientId }) => ({
      id,
      email: deliveryEmail,
      recipient: recipientId,
    })),
    zerver_service: services.map(({ botId, payloadUrl, interface: format }) => ({
      user_profile: botId,
      base_url: payloadUrl,
      interface: format,
    })),
    zerver_customprofilefieldvalue: values.map(({ userId, fieldId, value }) => ({
      user_profile: userId,
      field: fieldId,
      value,
    })),
    ...(await personalTables(db, realm.id)),
  }
}

function toUserRow(user: User, realm: Realm, externalUrl: string): UserRow {
  return {
    ...user.settings,
    id: user.id,
    realm: realm.id,
    recipient: user.recipientId,
    email: apiEmail(user, realm, externalUrl),
    delivery_email: user.deliveryEmail,
    full_name: user.fullName,
    role: user.role,
    is_active: user.deactivatedAt === null,
    is_mirror_dummy: false,
    is_bot: isBot(user),
    bot_type: user.botType,
    bot_owner: user.botOwnerId,
    date_joined: user.joinedAt,
    timezone: user.timezone,
    avatar_source: user.avatarFile === null ? 'G' : 'U',
    avatar_version: user.avatarVersion,
    long_term_idle: false,
  }
}

async function personalTables(db: Db, realmId: number): Promise<ExportTables> {
  const words = await queries.findExportedAlertWords(db, realmId)
  const statuses = await queries.findExportedStatuses(db, realmId)
  const muted = await queries.findExportedMutedUsers(db, realmId)
  const topics = await queries.findExportedUserTopics(db, realmId)
  return {
    zerver_alertword: words.map(({ id, userId, word }) => ({ id, realm: realmId, user_profile: userId, word })),
    zerver_userstatus: statuses.map(({ userId, text, emojiName, emojiCode, reactionType, setAt, endsAt }) => ({
      user_profile: userId,
      timestamp: setAt,
      status_text: text,
      scheduled_end_time: endsAt,
      ...toEmojiColumns({
        emojiName: emojiName ?? '',
        emojiCode: emojiCode ?? '',
        reactionType: reactionType ?? 'unicode_emoji',
      }),
    })),
    zerver_muteduser: muted.map(({ userId, mutedUserId, mutedAt }) => ({
      user_profile: userId,
      muted_user: mutedUserId,
      date_muted: mutedAt,
    })),
    zerver_usertopic: topics.map(({ userId, channelId, recipientId, topic, visibilityPolicy, setAt }) => ({
      user_profile: userId,
      stream: channelId,
      recipient: recipientId,
      topic_name: topic,
      visibility_policy: visibilityPolicy,
      last_updated: setAt,
    })),
  }
}
