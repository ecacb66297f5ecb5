import { attemptsKey, countGuess, countPassword, type PasswordCall, verifyPassword } from '#accounts/password-checks.ts'
import { findOwnerOfIdentity } from '#identity/external-identities.ts'
import {
  checkDirectoryPassword,
  type DirectoryEntry,
  type DirectoryProblem,
  type EntryKey,
  isDirectoryProblem,
} from '#identity/ldap.ts'
import type { ExternalIdentity } from '#identity/pending-sign-ins.ts'
import { type Directory, findDirectoryLink, findSignInMethods } from '#identity/providers.ts'
import { hashSecret } from '#lib/secrets.ts'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'

// Checking a password at a login: that of an account here, or of an entry in a directory. An account that is connected to
// a directory has the password of the directory alone. Attempts are counted by the entered name before any work, and by
// the entry before its password is tried, because a directory may find an entry by several spellings of a name. A
// directory that cannot be asked costs nobody an attempt, unless the password may have been one of an account here.

/** The person is that of the entry in the directory. */
export type DirectoryProof = {
  by: 'directory'
  directory: Directory
  entry: DirectoryEntry
  identity: ExternalIdentity
}

/** The result of a correct password. */
type PasswordProof =
  /** The user knows the password with this hash. */
  { by: 'password'; user: User; hash: string } | DirectoryProof

/** A directory that could not be asked, so that nothing is known about the password. */
type UnaskedDirectory = { by: null; directory: Directory; problem: DirectoryProblem }

/**
 * Returns what the password proves, and null if it is wrong. Refuses after too many wrong ones. `user` is the account
 * with the entered name; null if there is none.
 */
export async function checkPassword(
  call: PasswordCall,
  realm: Realm,
  { user, name, password }: { user: User | null; name: string; password: string },
): Promise<PasswordProof | UnaskedDirectory | null> {
  const { db } = call
  const methods = await findSignInMethods(db, realm)
  const { isPasswordEnabled, isDirectoryEnabled, directories } = methods
  const attempt = await countPassword(call, { user, key: attemptsKey({ realmId: realm.id, name }), realmId: realm.id })
  const link = user === null ? null : await findDirectoryLink(db, methods, user.id)
  if (isPasswordEnabled) {
    // A password is hashed for people of a directory, too, so that the response time reveals nothing.
    const local = link === null ? user : null
    const hash = await verifyPassword(call, local, password)
    if (hash !== null && local !== null) {
      await attempt.succeed()
      return { by: 'password', user: local, hash }
    }
  }
  let unasked: UnaskedDirectory | null = null
  for (const directory of link === null ? (isDirectoryEnabled ? directories : []) : [link.directory]) {
    const ask = (key: EntryKey) => askDirectory(call, realm, directory, key, password)
    const linked = link === null ? 'unknown' : await ask({ subject: link.subject })
    // An entry that was imported again has another id. Nobody gets the account before its owner confirms the new one.
    const answer = linked === 'unknown' ? await ask({ name }) : linked
    if (answer === 'unknown') continue
    if (answer === 'wrong') {
      await attempt.fail()
      return null
    }
    if (isDirectoryProblem(answer)) {
      unasked ??= { by: null, directory, problem: answer }
      continue
    }
    await attempt.succeed()
    return { by: 'directory', directory, entry: answer, identity: identityOf(directory, answer) }
  }
  if (unasked === null) await attempt.fail()
  else if (link !== null || !isPasswordEnabled) await attempt.takeBack()
  // A name without an account here may be that of a person in the directory, whose password may be correct.
  else if (user !== null) await attempt.fail()
  return unasked
}

/** Asks one directory. A wrong password is counted under the entry, too; when the directory fails, nothing is. */
async function askDirectory(
  call: PasswordCall,
  realm: Realm,
  directory: Directory,
  key: EntryKey,
  password: string,
): ReturnType<typeof checkDirectoryPassword> {
  const { db } = call
  const { id: provider, issuer } = directory
  const guesses: Awaited<ReturnType<typeof countGuess>>[] = []
  const answer = await checkDirectoryPassword(directory, key, password, async (subject) => {
    const identity = { provider, issuer, subject, email: null }
    const found = await findOwnerOfIdentity(db, realm.id, identity)
    const user = found === null ? null : await findUser(db, found.userId)
    const guessesAt = `guesses at entry ${hashSecret(`${provider} ${issuer} ${subject}`)}`
    guesses.push(await countGuess(call, { user, key: guessesAt, realmId: realm.id }))
  })
  if (isDirectoryProblem(answer)) {
    await guesses[0]?.takeBack()
    const { problem, detail } = answer
    call.log.warn({ realm_id: realm.id, provider, problem, detail }, 'A sign-in with another service failed')
  } else if (typeof answer === 'object') await guesses[0]?.succeed()
  return answer
}

/** Returns the identity of the person whose entry it is. The operator answers for the addresses in the directory. */
const identityOf = (
  { id: provider, issuer }: Directory,
  { subject, email, name, groups }: DirectoryEntry,
): ExternalIdentity => ({ provider, issuer, subject, email, name, picture: null, groups })
