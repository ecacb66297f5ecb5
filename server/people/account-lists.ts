import { type JsonMembers, PackedMembers } from '#lib/shared-json.ts'
import type { Role } from '#rules/role.ts'
import { defineCache } from '#storage/cache.ts'
import type { CommitCounters, Db } from '#storage/storage.ts'
import { addressRoleOf, maySeeAddress } from './access.ts'
import { findProfiles, findProfilesBetween } from './profile-fields.ts'
import { type Profiles, toUserJson } from './user-json.ts'
import { findRealmUsers, findUser, findUsersBetween, findUsersById } from './user-queries.ts'
import type { Actor, User } from './users.ts'

// The accounts of large organizations as JSON that is rendered and compressed once for all viewers who see the same,
// in chunks of which a change renders only its own again. Viewers who may not see everyone never get these lists.

/** The accounts of a list and their form. */
export type AccountListForm = {
  which: 'all' | 'active' | 'deactivated'
  computesGravatar: boolean
  includesProfiles: boolean
}

/** A form, and everything else that the JSON depends on. */
type ListKey = AccountListForm & { realm: { id: number; subdomain: string }; role: Role }

/** The accounts with ids from `from` to before the next chunk. Null if none of them belongs to the list. */
type Chunk = { readonly from: number; readonly members: PackedMembers | null }

type AccountList = { readonly chunks: readonly Chunk[]; lastUsedAt: number }

/** The number of accounts from which an organization has lists. Rendering fewer for each request costs little. */
const MIN_ACCOUNTS = 500

/** Few enough to render again after each change, many enough to compress well. */
const CHUNK_SIZE = 128

/** The maximum size of all lists, in bytes. The lists of 100,000 people take about 10 MB in each form. */
const MAX_BYTES = 64 * 1024 * 1024

/** Seconds after which an unused list is dropped. */
const MAX_IDLE = 600

/** The level at which accounts are compressed: a chunk is compressed once and sent often. */
const LEVEL = 6

/** The id of a viewer that no account has. */
const NOBODY = 0

const largeRealms = new WeakMap<CommitCounters, Set<number>>()

/** Notes the number of accounts of an organization, so that large ones get lists from the next request on. */
export function noteAccounts({ commitCounters }: Db, realmId: number, count: number): void {
  if (count < MIN_ACCOUNTS) return
  const known = largeRealms.get(commitCounters) ?? new Set()
  largeRealms.set(commitCounters, known.add(realmId))
}

/**
 * Returns accounts of the organization as members of a JSON array, as the actor sees them, ordered by id. The actor must
 * be allowed to see all accounts. Returns null if there is no list; then the caller renders the accounts. In a
 * transaction, there is a list only if it is current and nothing has to be read.
 */
export async function findAccountList(
  db: Db,
  actor: Actor,
  form: AccountListForm,
  now: number,
): Promise<readonly JsonMembers[] | null> {
  if (!db.commitCounters.isComplete || largeRealms.get(db.commitCounters)?.has(actor.realmId) !== true) return null
  const lists = form.includesProfiles ? listsWithProfiles : plainLists
  const { id, subdomain } = actor.realm
  const listKey: ListKey = { ...form, realm: { id, subdomain }, role: addressRoleOf(actor) }
  const key = JSON.stringify(listKey)
  if (db.written === null) await lists.get(db, key)
  // Both are as of the same commit, because nothing is awaited between them.
  const list = lists.peek(db, key)
  const own = findUser(db, actor.id)
  if (list === undefined || own === null || own instanceof Promise) return null
  list.lastUsedAt = now
  for (const each of [plainLists, listsWithProfiles])
    each.drop(db, ({ lastUsedAt }) => lastUsedAt > 0 && lastUsedAt < now - MAX_IDLE)
  return membersFor(list, own, listKey, db)
}

/** Returns the members, with the viewer's own address, which is hidden from the others who share the list. */
function membersFor({ chunks }: AccountList, own: User, key: ListKey, db: Db): readonly JsonMembers[] {
  const at = maySeeAddress({ id: NOBODY, role: key.role }, own) ? -1 : indexOfChunk(chunks, own.id)
  return chunks.flatMap(({ members }, index) => {
    if (members === null) return []
    return index === at ? withOwnAccount(members, own, key, db) : members
  })
}

function withOwnAccount(members: PackedMembers, own: User, key: ListKey, db: Db): JsonMembers {
  // Quotes in texts are escaped, so an account cannot begin anywhere else.
  const { text } = members
  const start = text.indexOf(`{"user_id":${own.id},`)
  if (start === -1) return members
  const next = text.indexOf(',{"user_id":', start)
  const end = next === -1 ? text.length : next
  const { profile_data } = JSON.parse(text.slice(start, end)) as ReturnType<typeof toUserJson>
  const profiles = profile_data && new Map([[own.id, profile_data]])
  const json = render([own], key, db, own, profiles)
  return new PackedMembers(text.slice(0, start) + json + text.slice(end))
}

function render(
  users: readonly User[],
  { realm, computesGravatar }: ListKey,
  { settings }: Db,
  viewer: { id: number; role: number },
  profiles: Profiles | undefined,
): string {
  const options = { computesGravatar, profiles }
  return users.map((user) => JSON.stringify(toUserJson(viewer, user, realm, settings.EXTERNAL_URL, options))).join(',')
}

const plainLists = defineCache<string, AccountList>({ dependsOn: ['users'], ...listCache() })

const listsWithProfiles = defineCache<string, AccountList>({
  dependsOn: ['users', 'profileFields', 'profileValues'],
  ...listCache(),
})

function listCache() {
  return {
    limit: MAX_BYTES,
    sizeOf: ({ chunks }: AccountList) =>
      chunks.reduce((sum, { members }) => sum + CHUNK_SIZE + (members?.packedLength ?? 0), 0),
    async load(db: Db, text: string): Promise<AccountList> {
      const key = JSON.parse(text) as ListKey
      const users = await findRealmUsers(db, key.realm.id)
      const profiles = key.includesProfiles ? await findProfiles(db, key.realm.id) : undefined
      return { chunks: await makeChunks(0, users, key, db, profiles), lastUsedAt: 0 }
    },
    async update(db: Db, text: string, list: AccountList, userIds: readonly number[]): Promise<AccountList> {
      const key = JSON.parse(text) as ListKey
      const changed = (await findUsersById(db, userIds)).filter(({ realmId }) => realmId === key.realm.id)
      const indexes = new Set(changed.map(({ id }) => indexOfChunk(list.chunks, id)))
      if (indexes.size === 0) return list
      const chunks: Chunk[] = []
      for (const [index, chunk] of list.chunks.entries()) {
        if (!indexes.has(index)) chunks.push(chunk)
        else chunks.push(...(await makeChunkAgain(chunk.from, list.chunks[index + 1]?.from, key, db)))
      }
      return { ...list, chunks }
    },
  }
}

async function makeChunkAgain(
  from: number,
  below: number = Number.MAX_SAFE_INTEGER,
  key: ListKey,
  db: Db,
): Promise<Chunk[]> {
  const users = await findUsersBetween(db, key.realm.id, from, below)
  const profiles = key.includesProfiles ? await findProfilesBetween(db, key.realm.id, from, below) : undefined
  return makeChunks(from, users, key, db, profiles)
}

/** Renders the accounts, the first of which has an id of at least `from`. */
async function makeChunks(
  from: number,
  users: readonly User[],
  key: ListKey,
  db: Db,
  profiles: Profiles | undefined,
): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  const viewer = { id: NOBODY, role: key.role }
  // New accounts belong to the last chunk until it is twice as large.
  const size = users.length <= 2 * CHUNK_SIZE ? users.length : CHUNK_SIZE
  for (let start = 0; start === 0 || start < users.length; start += size) {
    const part = users.slice(start, start + size)
    const listed = part.filter(
      ({ deactivatedAt }) => key.which === 'all' || (deactivatedAt === null) === (key.which === 'active'),
    )
    const text = render(listed, key, db, viewer, profiles)
    chunks.push({
      from: start === 0 ? from : (part[0] as User).id,
      members: text === '' ? null : await PackedMembers.pack(text, LEVEL),
    })
  }
  return chunks
}

/** Returns the index of the chunk to which an account with this id belongs. */
function indexOfChunk(chunks: readonly Chunk[], id: number): number {
  return chunks.findLastIndex(({ from }) => from <= id)
}
