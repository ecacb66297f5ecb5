import { BROWSER } from '#http/caller.ts'
import type { Origin, Transaction } from '#storage/storage.ts'
import { type AuditEntry, type AuditKind, auditKindNames, auditKinds } from './audit-kinds.ts'
import { browserName } from './sessions.ts'

// The audit log: an entry for each administrative or security-relevant change, written in the transaction of the
// change. Who asked for the change, from where and by which client travels with the transaction. After the commit, the
// same call writes a line of the security log.

/** The maximum length of a client's name in an entry. */
const MAX_CLIENT_LENGTH = 60

/** Adds an entry, in the transaction of the change. The actor is the sender of the request unless `actorId` is given. */
export async function recordAudit<Kind extends AuditKind>(
  tx: Transaction,
  realmId: number,
  kind: Kind,
  entry: AuditEntry<Kind>,
): Promise<void> {
  const { actorId = tx.origin.actorId, targetId = null, ...given } = entry
  const { details: type, toLoggedDetails } = auditKinds[kind]
  const details = type.parse(given)
  const { by, remoteAddress, log } = tx.origin
  await tx
    .insertInto('auditEntries')
    .values({
      ...{ realmId, at: tx.now, kind, origin: by, actorId, targetId },
      details: JSON.stringify(details),
      address: remoteAddress,
      client: clientOf(tx.origin),
    })
    .execute()
  if (log === null) return
  const line = { event: kind, actor_id: actorId, target_id: targetId, realm_id: realmId }
  const from = by === 'request' ? { address: remoteAddress } : { by, ...(remoteAddress && { address: remoteAddress }) }
  tx.afterCommit(() => log.security({ ...line, ...from, ...toLoggedDetails(details as never) }))
}

/** The kinds whose target is a user. */
const ABOUT_USERS = auditKindNames.filter((kind) => auditKinds[kind].target === 'user')

/** The kinds whose details contain a name or an address of their target. */
const PERSONAL: readonly AuditKind[] = ['name_changed', 'email_changed', 'email_change_requested']

/**
 * Deletes what the entries tell about a person beyond their id: names and addresses that they had, the networks and
 * programs that they used, and invitations to these lower-case addresses. The entries themselves stay.
 */
export async function eraseFromAudit(
  tx: Transaction,
  { id, realmId }: { id: number; realmId: number },
  addresses: readonly string[],
): Promise<void> {
  const nowhere = { address: null, client: '' }
  await tx.updateTable('auditEntries').set(nowhere).where('actorId', '=', id).execute()
  // Requests without an actor are those of the person themselves, such as a sign-in or the link of an email.
  await tx
    .updateTable('auditEntries')
    .set(nowhere)
    .where('actorId', 'is', null)
    .where('origin', '=', 'request')
    .where('targetId', '=', id)
    .where('kind', 'in', ABOUT_USERS)
    .execute()
  await tx
    .updateTable('auditEntries')
    .set({ details: JSON.stringify({ from: null, to: null }) })
    .where('targetId', '=', id)
    .where('kind', 'in', PERSONAL)
    .execute()
  const invitations = await tx.db
    .selectFrom('auditEntries')
    .select(['id', 'details'])
    .where('realmId', '=', realmId)
    .where('kind', 'like', 'invitation%')
    .execute()
  for (const { id: entryId, details } of invitations) {
    const given = JSON.parse(details) as { email?: string | null; emails?: string[] }
    const isErased = (email: string) => addresses.includes(email.toLowerCase())
    const erased = {
      ...given,
      ...(typeof given.email === 'string' && isErased(given.email) && { email: '' }),
      ...(given.emails?.some(isErased) && { emails: given.emails.map((email) => (isErased(email) ? '' : email)) }),
    }
    const changed = JSON.stringify(erased)
    if (changed !== details)
      await tx.updateTable('auditEntries').set({ details: changed }).where('id', '=', entryId).execute()
  }
}

/** Returns the name of the program that sent the request: of browsers, their own name. */
function clientOf({ client, userAgent }: Origin): string {
  const isDesktopApp = /\bZulipElectron\//i.test(userAgent)
  const name = client === BROWSER ? (isDesktopApp ? 'Desktop app' : browserName(userAgent)) : client
  return name.slice(0, MAX_CLIENT_LENGTH)
}
