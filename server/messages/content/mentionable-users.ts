import type { MentionedUser } from '#markdown/scope.ts'
import type { User } from '#people/users/user.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { defineCache } from '#storage/cache.ts'
import { idsIn } from '#storage/json-list.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db } from '#storage/storage.ts'

export type MentionableUser = MentionedUser & Pick<User, 'botType'>

/** The users whom mentions can name: the users of an organization, including deactivated ones, and the system bots. */
type MentionableUsers = {
  withId(id: number): MentionableUser | undefined
  /**
   * Returns the user with this name; case is ignored. If several users have the name, users of the organization take
   * precedence over system bots, then active users over deactivated ones, then the lowest id.
   */
  named(name: string): MentionableUser | undefined
}

/** A user, and whether the user belongs to the organization. */
type Candidate = { readonly user: MentionableUser; readonly isOfRealm: boolean }

/** All candidates as they were when they were read, and those that have changed since then. */
type Candidates = {
  readonly byId: ReadonlyMap<number, Candidate>
  /** By name in lower case. */
  readonly byName: ReadonlyMap<string, readonly Candidate[]>
  readonly changed: ReadonlyMap<number, Candidate>
}

/** The maximum number of changed candidates. If there are more, all candidates are read again. */
const MAX_CHANGED = 100

const mentionableUsers = defineCache<number, Candidates>({
  dependsOn: ['users'],
  limit: 100,
  load: readAll,
  async update(db, realmId, before, userIds) {
    const rows = await rowsWithin(db, realmId, (await findSystemRealmId(db)) ?? realmId, JSON.stringify(userIds))
    const differing = toCandidates(rows, realmId).filter(
      (candidate) => !isSame(candidate, findById(before, candidate.user.id)),
    )
    if (differing.length === 0) return before
    const changed = new Map([
      ...before.changed,
      ...differing.map((candidate) => [candidate.user.id, candidate] as const),
    ])
    return changed.size > MAX_CHANGED ? readAll(db, realmId) : { ...before, changed }
  },
})

async function readAll(db: Db, realmId: number): Promise<Candidates> {
  const rows = await candidateRows(db, realmId, (await findSystemRealmId(db)) ?? realmId).execute()
  const candidates = toCandidates(rows, realmId)
  return {
    byId: new Map(candidates.map((candidate) => [candidate.user.id, candidate])),
    byName: Map.groupBy(candidates, nameOf),
    changed: new Map(),
  }
}

const findSystemRealmId = async (db: Db) => (await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN))?.id

const candidateRows = (db: Db, realmId: number, systemRealmId: number) =>
  db
    .selectFrom('users')
    .select(['id', 'realmId', 'fullName', 'botType', 'deactivatedAt'])
    .where((is) => is.or([is('realmId', '=', realmId), is('realmId', '=', systemRealmId)]))

const rowsWithin = defineQuery((db, realmId: number, systemRealmId: number, userIds: string) =>
  candidateRows(db, realmId, systemRealmId).where('id', 'in', idsIn(db.dialect, userIds)),
)

type CandidateRow = Omit<MentionableUser, 'isSilent'> & { realmId: number; deactivatedAt: number | null }

const toCandidates = (rows: readonly CandidateRow[], ofRealmId: number): Candidate[] =>
  rows.map(({ id, fullName, botType, realmId, deactivatedAt }) => {
    return { user: { id, fullName, botType, isSilent: deactivatedAt !== null }, isOfRealm: realmId === ofRealmId }
  })

const nameOf = ({ user }: Candidate) => user.fullName.toLowerCase()

const findById = ({ byId, changed }: Candidates, id: number) => changed.get(id) ?? byId.get(id)

const isSame = ({ user }: Candidate, before: Candidate | undefined) =>
  before?.user.fullName === user.fullName && before.user.isSilent === user.isSilent

function findByName({ byName, changed }: Candidates, name: string): Candidate | undefined {
  const key = name.toLowerCase()
  const kept = byName.get(key)?.filter(({ user }) => !changed.has(user.id)) ?? []
  const namesakes = [...kept, ...changed.values().filter((candidate) => nameOf(candidate) === key)]
  return namesakes.reduce<Candidate | undefined>(
    (first, next) => (first === undefined || precedes(next, first) ? next : first),
    undefined,
  )
}

function precedes({ user, isOfRealm }: Candidate, other: Candidate): boolean {
  if (isOfRealm !== other.isOfRealm) return isOfRealm
  if (user.isSilent !== other.user.isSilent) return user.isSilent !== true
  return user.id < other.user.id
}

export async function findMentionableUsers(db: Db, realmId: number): Promise<MentionableUsers> {
  const candidates = await mentionableUsers.get(db, realmId)
  return {
    withId: (id) => findById(candidates, id)?.user,
    named: (name) => findByName(candidates, name)?.user,
  }
}
