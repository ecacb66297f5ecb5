import { createOrganization, requireAvailableSubdomain } from '#organizations/create-organization.ts'
import { ensureSystemBots } from '#people/users/bots/system-bots.ts'
import { isBot, type User } from '#people/users/user.ts'
import { findRealmBySubdomain, saveRealmFields, saveRealmSettings } from '#realms/queries.ts'
import { NOT_IN_REALM_NAMES, REALM_NAME, type Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { FileStore } from '#storage/files/files.ts'
import type { Db, Storage, Transaction } from '#storage/storage.ts'
import { importChannels, importSubscriptions } from './channels.ts'
import { checkExport } from './check-export.ts'
import { importGroups } from './groups.ts'
import { ImportError } from './import-error.ts'
import { type ImportReport, openImportReport, type SkippedItem } from './import-report.ts'
import { importMessages } from './messages.ts'
import { importDomains, importLinkifiers } from './organization-data.ts'
import { importPersonal } from './personal.ts'
import { importAvatars, importEmoji, importRealmPictures } from './pictures.ts'
import { importProfiles } from './profiles.ts'
import { importReactions } from './reactions.ts'
import { type ExportData, readExport } from './read-export.ts'
import { readImportedSettings } from './realm-settings.ts'
import { indexRecipients, type RecipientIndex } from './recipient-index.ts'
import { type MessageScan, scanMessages } from './scan-messages.ts'
import type { UserRow } from './shapes.ts'
import { reportSkippedTables } from './skipped-tables.ts'
import { importUploads } from './uploads.ts'
import { type ImportedUsers, importDefaultSettings, importUsers } from './users.ts'

export type ImportOptions = {
  storage: Pick<Storage, 'db' | 'transaction'>
  files: FileStore
  /** The folder with realm.json. */
  folder: string
  /** The subdomain of the organization; undefined selects the root if it is free, otherwise the original subdomain. */
  subdomain: string | undefined
  /** The original address without a trailing slash. Links to it are changed to the new address. */
  oldUrl?: string | undefined
  /** The email address of the user to make an owner. Some converters write exports without an owner. */
  ownerEmail?: string | undefined
  onProgress?: ((what: string, done: number, all?: number) => void) | undefined
}

/** The number of imported items of each kind, and the skipped items. */
type ImportedOrganization = { realm: Realm; imported: Record<string, number>; skipped: SkippedItem[] }

/**
 * Imports an export. Checks everything first, then imports it in one transaction. No server may run at the same time.
 * The caller must build the full-text index afterwards.
 */
export async function importOrganization(options: ImportOptions): Promise<ImportedOrganization> {
  const { storage, folder, onProgress } = options
  const data = await readExport(folder)
  const subdomain = options.subdomain ?? (await findHome(storage.db, data))
  await requireAvailableSubdomain(storage.db, subdomain)
  if (options.ownerEmail !== undefined) makeOwner(data, options.ownerEmail)
  checkExport(data)
  const places = indexRecipients(data)
  const survey = await scanMessages(data, places, (messages) => onProgress?.('Messages read', messages))
  const stored = recordingNames(options.files)
  let isWhole = false
  try {
    return await storage.transaction(async (tx) => {
      const imported = await importAll(tx, data, { ...options, files: stored.files, subdomain, places, survey })
      isWhole = true
      return imported
    })
  } catch (error) {
    // If the outcome of a failed commit is unknown, its files are kept.
    if (!isWhole) for (const name of stored.names) await options.files.delete(name)
    throw error
  }
}

/** Returns a file store that records the names of all stored files. */
function recordingNames(files: FileStore): { files: FileStore; names: string[] } {
  const names: string[] = []
  return {
    names,
    files: {
      ...files,
      save(name, bytes) {
        names.push(name)
        return files.save(name, bytes)
      },
      create(name) {
        names.push(name)
        return files.create(name)
      },
    },
  }
}

function makeOwner({ users }: ExportData, address: string): void {
  const isMeant = ({ delivery_email, email }: UserRow) =>
    (delivery_email || email).toLowerCase() === address.toLowerCase()
  const owner = [...users.values()].find(isMeant)
  if (owner === undefined) throw new ImportError(`No account in the export has the address ${address}.`)
  owner.role = Role.owner
}

async function findHome(db: Db, { realm }: ExportData): Promise<string> {
  return (await findRealmBySubdomain(db, '')) === null ? '' : realm.string_id
}

type Parts = ImportOptions & { subdomain: string; places: RecipientIndex; survey: MessageScan }

async function importAll(tx: Transaction, data: ExportData, parts: Parts): Promise<ImportedOrganization> {
  const { files, subdomain, places, survey, onProgress } = parts
  const report = openImportReport()
  await ensureSystemBots(tx)
  const founded = await createOrganization(tx, subdomain, nameOf(data, subdomain, report))
  if (data.realm.date_created) await saveRealmFields(tx, founded.id, { createdAt: data.realm.date_created })
  await importDomains(tx, founded, data, report)
  await importLinkifiers(tx, founded, data, report)

  const accounts = await importUsers(tx, founded, data, report)
  const owner = ownerOf(data, accounts)
  const groups = await importGroups(tx, data, { realm: founded, accounts, owner, report })
  const channels = await importChannels(tx, data, { realm: founded, accounts, groups, report })
  const settings = readImportedSettings(data, groups, channels, report)
  await saveRealmSettings(tx, founded.id, settings)
  const realm = { ...founded, settings: { ...founded.settings, ...settings } }
  await importDefaultSettings(tx, realm, data, report)
  const subscriptions = await importSubscriptions(tx, data, places, { accounts, channels, realm })

  const icons = await importRealmPictures(tx, data, { realm, files, report })
  const avatars = await importAvatars(tx, data, { realm, accounts, files, report })
  const emojiIds = await importEmoji(tx, data, owner, { realm, accounts, files, report })
  await importProfiles(tx, data, { realm, accounts, report })
  await importPersonal(tx, data, { accounts, channels, emojiIds, report })
  const uploads = await importUploads(tx, data, { realm, accounts, files, report }, (done, all) =>
    onProgress?.('Files', done, all),
  )

  const newId = await importMessages(tx, data, {
    realm,
    accounts,
    channels,
    files: uploads,
    places,
    survey,
    report,
    oldUrl: parts.oldUrl,
    onProgress: (done, all) => onProgress?.('Messages', done, all),
  })
  const reactions = await importReactions(tx, data, { accounts, emojiIds, newId, report })
  reportSkippedTables(data, report)
  const bots = [...data.users.values()].filter((row) => row.is_bot).length
  const came = {
    people: data.users.size - bots,
    bots,
    channels: channels.size,
    subscriptions,
    messages: survey.order.size,
    reactions,
    files: uploads.byPath.size,
    pictures: icons + avatars + emojiIds.size,
  }
  return { realm, imported: came, skipped: report.list() }
}

/** The maximum length of an organization's name, in code points. */
const MAX_NAME_LENGTH = 40

function nameOf({ realm }: ExportData, subdomain: string, report: ImportReport): string {
  const whole = realm.name.replace(new RegExp(NOT_IN_REALM_NAMES, 'gu'), ' ').trim()
  if (whole !== realm.name.trim()) report.add('organization name', 'line breaks and similar characters became spaces')
  if (!REALM_NAME.test(whole)) {
    const name = realm.string_id || subdomain || 'Organization'
    report.add('organization name', `it was empty: the organization is now called ${name}`)
    return name
  }
  const name = Array.from(whole).slice(0, MAX_NAME_LENGTH).join('').trim()
  if (name !== whole) report.add('organization name', `cut to ${MAX_NAME_LENGTH} characters`)
  return name
}

/** Returns an active owner, who gets ownership of items without an owner. */
function ownerOf({ users }: ExportData, accounts: ImportedUsers): User {
  const owner = [...users.keys()]
    .map((id) => accounts.get(id))
    .find((user) => user !== undefined && user.role === Role.owner && user.deactivatedAt === null && !isBot(user))
  if (owner === undefined) throw new Error('An export without an owner was not refused')
  return owner
}
