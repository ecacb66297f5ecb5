import { withoutOwnFields } from '#lib/protocol.ts'
import {
  AddressVisibility,
  ownUserSettings,
  type UserSettingName,
  type UserSettings,
  userSettingDefaults,
  userSettingTypes,
} from '#people/user-settings.ts'
import { apiEmail, isBot, placeholderEmail, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { OWN_SETTINGS } from '../importing/read-export.ts'
import * as queries from './queries.ts'
import type { Selection } from './selection.ts'
import { type ExportTables, toEmojiColumns, type UserRow } from './tables.ts'

/** Returns the accounts without passwords and keys, the system bots, and the personal settings and data. */
export async function peopleTables(
  db: Db,
  realm: Realm,
  { users, systemBots, selection }: queries.ExportedPeople & { selection: Selection },
): Promise<ExportTables> {
  const services = (await queries.findExportedBotServices(db, realm.id)).filter(({ botId }) =>
    selection.hasPrivateDataOf(botId),
  )
  const values = await queries.findProfileValues(db, realm.id)
  return {
    zerver_userprofile: users.map((user) =>
      toUserRow(user, realm, { externalUrl: db.settings.EXTERNAL_URL, selection }),
    ),
    [OWN_SETTINGS]: users
      .filter(({ id }) => selection.hasPrivateDataOf(id))
      .map(({ id, settings }) => ({ id, ...changedOwnSettings(settings) }))
      .filter((row) => Object.keys(row).length > 1),
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
    ...(await personalTables(db, realm.id, selection)),
  }
}

type RowContext = { externalUrl: string; selection: Selection }

/** Leaves out the settings of users who do not consent, and their addresses if not even administrators can see them. */
function toUserRow(user: User, realm: Realm, { externalUrl, selection }: RowContext): UserRow {
  const { email_address_visibility } = user.settings
  const hasPrivateData = selection.hasPrivateDataOf(user.id)
  const isAddressHidden = !hasPrivateData && email_address_visibility === AddressVisibility.nobody
  return {
    ...columnsOf(hasPrivateData ? user.settings : { ...userSettingDefaults, email_address_visibility }),
    id: user.id,
    realm: realm.id,
    recipient: user.recipientId,
    email: apiEmail(user, realm, externalUrl),
    delivery_email: isAddressHidden ? placeholderEmail(user.id, realm, externalUrl) : user.deliveryEmail,
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

/** Returns the changed settings that the format has no columns for. */
const changedOwnSettings = (settings: UserSettings): object =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => ownUserSettings.has(name) && value !== userSettingDefaults[name as UserSettingName],
    ),
  )

/** Returns the settings that the format has columns for. */
export const columnsOf = (settings: object): object => withoutOwnFields(userSettingTypes, settings)

async function personalTables(db: Db, realmId: number, selection: Selection): Promise<ExportTables> {
  const isPrivate = ({ userId }: { userId: number }) => selection.hasPrivateDataOf(userId)
  const exported = new Set(selection.channels.map(({ id }) => id))
  const words = (await queries.findExportedAlertWords(db, realmId)).filter(isPrivate)
  const statuses = await queries.findExportedStatuses(db, realmId)
  const muted = (await queries.findExportedMutedUsers(db, realmId)).filter(isPrivate)
  const topics = (await queries.findExportedUserTopics(db, realmId)).filter(
    (row) => isPrivate(row) && exported.has(row.channelId),
  )
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
