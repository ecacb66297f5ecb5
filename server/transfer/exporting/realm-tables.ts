import { type Channel, mapChannelSettings } from '#channels/channel.ts'
import { findDefaultChannels } from '#channels/queries.ts'
import { findProfileFields, toProfileFieldJson } from '#people/profile-fields.ts'
import { findDefaultSettings, userSettingDefaults } from '#people/user-settings.ts'
import { findRealmDomains } from '#realms/domains.ts'
import { findRealmEmoji } from '#realms/emoji.ts'
import { findLinkifiers } from '#realms/linkifiers.ts'
import { type Realm, realmPictureKinds, realmPictureSource } from '#realms/realm.ts'
import {
  channelIdSettings,
  historyPolicies,
  isPermission,
  operatorOnlySettings,
  type RealmSettingName,
  realmSettingNames,
} from '#realms/realm-settings.ts'
import type { Db } from '#storage/storage.ts'
import type { GroupIds } from './groups.ts'
import { columnsOf } from './people.ts'
import type { Selection } from './selection.ts'
import type { ChannelRow, ExportTables, RealmRow } from './tables.ts'

type RealmParts = { groupIds: GroupIds; selection: Selection }

/** Returns the organization itself: its settings, and the data that it defines for all users. */
export async function realmTables(db: Db, realm: Realm, parts: RealmParts): Promise<ExportTables> {
  const { groupIds, selection } = parts
  const exported = new Set(selection.channels.map(({ id }) => id))
  const domains = await findRealmDomains(db, realm.id)
  const { rules } = await findLinkifiers(db, realm.id)
  const emoji = await findRealmEmoji(db, realm.id)
  const fields = await findProfileFields(db, realm.id)
  const defaultChannels = (await findDefaultChannels(db, realm.id)).filter(({ id }) => exported.has(id))
  return {
    zerver_realm: [toRealmRow(realm, groupIds)],
    zerver_realmuserdefault: [
      { realm: realm.id, ...columnsOf({ ...userSettingDefaults, ...(await findDefaultSettings(db, realm.id)) }) },
    ],
    zerver_realmdomain: domains.map(({ domain, allowsSubdomains }, index) => ({
      id: index + 1,
      realm: realm.id,
      domain,
      allow_subdomains: allowsSubdomains,
    })),
    zerver_realmfilter: rules.map(({ id, pattern, urlTemplate }, order) => ({
      id,
      realm: realm.id,
      pattern,
      url_template: urlTemplate,
      order,
    })),
    zerver_realmemoji: emoji.map(({ id, name, authorId, fileName, deactivatedAt }) => ({
      id,
      realm: realm.id,
      name,
      author: authorId,
      file_name: fileName,
      deactivated: deactivatedAt !== null,
    })),
    zerver_customprofilefield: fields.map((field) => {
      const { type, ...row } = toProfileFieldJson(field)
      return { realm: realm.id, field_type: type, display_in_profile_summary: false, ...row }
    }),
    zerver_defaultstream: defaultChannels.map(({ id }, index) => ({ id: index + 1, realm: realm.id, stream: id })),
  }
}

function toRealmRow(realm: Realm, groupIds: GroupIds): RealmRow {
  const messages = realmSettingNames.filter((name) => !operatorOnlySettings.has(name))
  return {
    id: realm.id,
    string_id: realm.subdomain,
    name: realm.name,
    date_created: realm.createdAt,
    deactivated: realm.deactivatedAt !== null,
    ...Object.fromEntries(realmPictureKinds.map((kind) => [`${kind}_source`, realmPictureSource(realm, kind)])),
    ...Object.fromEntries(messages.map((name) => toColumn(realm, name, groupIds))),
  }
}

const naming: ReadonlySet<string> = new Set(channelIdSettings)

/** Returns a setting as a column of the format. */
function toColumn({ settings }: Realm, name: RealmSettingName, { idOf }: GroupIds): [string, unknown] {
  if (isPermission(name)) return [name, idOf(settings[name])]
  const value = settings[name]
  if (naming.has(name)) return [name.replace(/_id$/, ''), value === -1 ? null : value]
  if (name === 'message_edit_history_visibility_policy')
    return [name, historyPolicies.indexOf(settings.message_edit_history_visibility_policy) + 1]
  return [name, value]
}

export function toChannelRow(channel: Channel, { idOf }: GroupIds): ChannelRow {
  return {
    id: channel.id,
    realm: channel.realmId,
    recipient: channel.recipientId,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.renderedDescription,
    date_created: channel.createdAt,
    deactivated: channel.archivedAt !== null,
    invite_only: channel.isPrivate,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.isHistoryShared,
    message_retention_days: channel.messageRetentionDays,
    creator: channel.creatorId,
    ...mapChannelSettings((name) => idOf(channel.settings[name])),
  }
}
