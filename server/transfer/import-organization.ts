import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReadEntry } from 'tar'
import { createOrganization, requireAvailableSubdomain } from '#organizations/create-organization.ts'
import { ensureSystemBots } from '#people/bots.ts'
import { beginSecondFactorGrace } from '#people/second-factors.ts'
import { isBot, type User } from '#people/users.ts'
import { findRealmBySubdomain, saveRealmFields, saveRealmSettings } from '#realms/queries.ts'
import { NOT_IN_REALM_NAMES, REALM_NAME, type Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db, Storage, Transaction } from '#storage/storage.ts'
import { importChannels, importSubscriptions } from './importing/channels.ts'
import { checkExport } from './importing/check-export.ts'
import { importUploads } from './importing/files.ts'
import { importGroups } from './importing/groups.ts'
import {
  type ImportReport,
  openImportReport,
  reportSkippedTables,
  type SkippedItem,
} from './importing/import-report.ts'
import { importMessages } from './importing/messages.ts'
import { importPersonal, importProfiles } from './importing/personal-data.ts'
import { importAvatars, importEmoji, importRealmPictures } from './importing/pictures.ts'
import { importReactions } from './importing/reactions.ts'
import { type ExportData, ImportError, readExport } from './importing/read-export.ts'
import { importDomains, importLinkifiers, readImportedSettings } from './importing/realm.ts'
import { indexRecipients, type MessageScan, type RecipientIndex, scanMessages } from './importing/scan-messages.ts'
import type { UserRow } from './importing/shapes.ts'
import { type ImportedUsers, importDefaultSettings, importUsers } from './importing/users.ts'

// Imports an organization from an export of this server or of the reference server. Everything is checked before
// anything is written, and everything is written in one transaction, so a failed import changes nothing. The report
// lists what was skipped.

type ImportOptions = {
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
  await beginSecondFactorGrace(tx, realm)
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

function nameOf({ realm }: ExportData, subdomain: string, report: ImportReport): string {
  const whole = realm.name.replace(new RegExp(NOT_IN_REALM_NAMES, 'gu'), ' ').trim()
  if (whole !== realm.name.trim()) report.add('organization name', 'line breaks and similar characters became spaces')
  if (!REALM_NAME.test(whole)) {
    const name = realm.string_id || subdomain || 'Organization'
    report.add('organization name', `it was empty: the organization is now called ${name}`)
    return name
  }
  const name = Array.from(whole).slice(0, MAX_LENGTH.realmName).join('').trim()
  if (name !== whole) report.add('organization name', `cut to ${MAX_LENGTH.realmName} characters`)
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

/** The folder with the tables of an export. Disposing it deletes the files that were unpacked from an archive. */
type OpenExport = AsyncDisposable & { folder: string }

type Limits = { files: number; bytes: number }

/** These limits are far above the size of any export. They detect endless archives. */
const LIMITS: Limits = { files: 5_000_000, bytes: 1024 ** 4 }

/** Opens an export, which is a folder or an archive. An archive is unpacked into a new folder in `parent`. */
export async function openExport(path: string, limits = LIMITS, parent: string = tmpdir()): Promise<OpenExport> {
  if (!existsSync(path)) throw new ImportError(`${path} does not exist.`)
  if ((await stat(path)).isDirectory()) return { folder: await findTables(path), [Symbol.asyncDispose]: async () => {} }
  await using kept = new AsyncDisposableStack()
  const unpacked = await mkdtemp(join(parent, 'parley-import-'))
  kept.defer(() => rm(unpacked, { recursive: true, force: true }))
  await unpack(path, unpacked, limits)
  const folder = await findTables(unpacked)
  const held = kept.move()
  return { folder, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** Only files and folders inside `folder` are created: no links, no devices, and nothing outside. */
async function unpack(path: string, folder: string, limits: Limits): Promise<void> {
  let [files, bytes] = [0, 0]
  let problem: ImportError | null = null
  const isWanted = (name: string, entry: ReadEntry) => {
    files += 1
    bytes += entry.size
    problem ??= problemOf(name, entry, files > limits.files || bytes > limits.bytes)
    return problem === null
  }
  const { extract } = await import('tar')
  try {
    await extract({
      file: path,
      cwd: folder,
      strict: true,
      preserveOwner: false,
      chmod: false,
      noMtime: true,
      filter: (name, entry) => isWanted(name, entry as ReadEntry),
    })
  } catch (error) {
    if (error instanceof Error && 'tarCode' in error)
      throw new ImportError(`${path} is not a complete .tar.gz archive: ${error.message}`)
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (code.startsWith('Z_') || code.startsWith('TAR_'))
      throw new ImportError(`${path} is not a complete .tar.gz archive: ${(error as Error).message}`)
    throw error
  }
  if (problem !== null) throw problem
}

function problemOf(name: string, entry: ReadEntry, isTooMuch: boolean): ImportError | null {
  if (isTooMuch) return new ImportError('The archive exceeds the limits for exports.')
  if (name.startsWith('/') || name.split(/[/\\]/).includes('..'))
    return new ImportError(`The archive contains ${name}, which is outside of it.`)
  const isPlain = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory'
  return isPlain ? null : new ImportError(`The archive contains ${name}, which is neither a file nor a folder.`)
}

/** Returns the folder with realm.json: this one, or a folder in it. */
async function findTables(folder: string): Promise<string> {
  if (existsSync(join(folder, 'realm.json'))) return folder
  const entries = await readdir(folder, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const [found] = folders.filter((one) => existsSync(join(one, 'realm.json')))
  if (found === undefined) throw new ImportError(`${folder} is not an export: it contains no realm.json.`)
  return found
}
