import { Role } from '#rules/role.ts'
import { isSafePath } from './files.ts'
import { type ExportData, ImportError, REALM_FILE } from './read-export.ts'
import { roleOf } from './users.ts'

/** Refuses rows with dangling references, and data that cannot be imported. */
export function checkExport(data: ExportData): void {
  checkPeople(data)
  checkChannels(data)
  checkGroups(data)
  checkPersonal(data)
  checkPaths(data)
}

const at = (table: string, row: number | string, what: string) =>
  new ImportError(`${REALM_FILE}, ${table}, ${row}: ${what}`)

function checkPeople({ users }: ExportData): void {
  const addresses = new Set<string>()
  for (const { id, email, delivery_email, bot_owner } of users.values()) {
    const key = (delivery_email || email).toLowerCase()
    if (addresses.has(key)) throw at('zerver_userprofile', id, `another account has the address ${key}.`)
    addresses.add(key)
    if (bot_owner && !users.has(bot_owner)) throw at('zerver_userprofile', id, `there is no account ${bot_owner}.`)
  }
  const isOwner = [...users.values()].some((row) => row.is_active && !row.is_bot && roleOf(row) === Role.owner)
  if (!isOwner)
    throw new ImportError(
      `${REALM_FILE}, zerver_userprofile: no active account is an owner of the organization. Name one with --owner-email.`,
    )
}

function checkChannels({ channels, recipients, defaultChannels, subscriptions, users, systemBots }: ExportData): void {
  const names = new Set<string>()
  for (const { id, name } of channels.values()) {
    const key = name.toLowerCase()
    if (names.has(key)) throw at('zerver_stream', id, `another channel has the name ${name}.`)
    names.add(key)
  }
  for (const { id, type, type_id } of recipients.values())
    if (type === 2 && !channels.has(type_id)) throw at('zerver_recipient', id, `there is no channel ${type_id}.`)
  for (const { stream } of defaultChannels)
    if (!channels.has(stream)) throw at('zerver_defaultstream', stream, 'the channel is missing.')
  const bots = new Set(systemBots.map(({ id }) => id))
  for (const [index, { user_profile: user, recipient }] of subscriptions.entries()) {
    if (!users.has(user) && !bots.has(user))
      throw at('zerver_subscription', `row ${index + 1}`, `there is no account ${user}.`)
    if (!recipients.has(recipient))
      throw at('zerver_subscription', `row ${index + 1}`, `there is no recipient ${recipient}.`)
  }
}

function checkGroups({ groups, users }: ExportData): void {
  for (const [id, rows] of groups.members) {
    if (!groups.ids.has(id)) throw at('zerver_usergroupmembership', id, 'the group is missing.')
    for (const { user_profile: user } of rows)
      if (!users.has(user)) throw at('zerver_usergroupmembership', id, `there is no account ${user}.`)
  }
  for (const [id, rows] of groups.subgroups) {
    if (!groups.ids.has(id)) throw at('zerver_groupgroupmembership', id, 'the group is missing.')
    for (const { subgroup } of rows)
      if (!groups.ids.has(subgroup)) throw at('zerver_groupgroupmembership', id, `there is no group ${subgroup}.`)
  }
}

function checkPersonal(data: ExportData): void {
  const { users, channels, profileFields } = data
  const fields = new Set(profileFields.map(({ id }) => id))
  const rowsOf = {
    zerver_alertword: data.alertWords,
    zerver_userstatus: data.statuses,
    zerver_muteduser: data.mutedUsers,
    zerver_usertopic: data.userTopics,
    zerver_service: data.services,
    zerver_customprofilefieldvalue: data.profileValues,
  }
  for (const [table, rows] of Object.entries(rowsOf))
    for (const [index, { user_profile: user }] of rows.entries())
      if (!users.has(user)) throw at(table, `row ${index + 1}`, `there is no account ${user}.`)
  for (const { stream } of data.userTopics)
    if (!channels.has(stream)) throw at('zerver_usertopic', stream, 'the channel is missing.')
  for (const { field } of data.profileValues)
    if (!fields.has(field)) throw at('zerver_customprofilefieldvalue', field, 'the field is missing.')
}

function checkPaths({ attachments, avatars, emojiPictures, users, systemBots }: ExportData): void {
  // Files received by email belong to a system bot.
  const owners = new Set([...users.keys(), ...systemBots.map(({ id }) => id)])
  for (const { id, path_id, owner } of attachments) {
    const position = `attachment.json, zerver_attachment, ${id}`
    if (!isSafePath(path_id)) throw new ImportError(`${position}: ${path_id} is outside the export.`)
    if (!owners.has(owner)) throw new ImportError(`${position}: there is no account ${owner}.`)
  }
  for (const [kind, records] of Object.entries({ avatars, emoji: emojiPictures }))
    for (const { path } of records)
      if (path !== '' && !isSafePath(path))
        throw new ImportError(`${kind}/records.json: ${path} is outside the export.`)
}
