import { z } from 'zod'
import { revokeInvitationsOf } from '../invitations/manage-invitations.ts'
import { changeRealmSettings } from '../realms/change-settings.ts'
import { findRealm } from '../realms/queries.ts'
import { isSubdomain, type Realm } from '../realms/realm.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import { changeUserSettings } from '../users/change-settings.ts'
import { findUser, saveUserFields } from '../users/queries.ts'
import { isRole, type Role } from '../users/role.ts'
import { userSettingDeclarations } from '../users/settings.ts'
import { deactivateUser, reactivateUser, setRole } from '../users/update-user.ts'
import type { User } from '../users/user.ts'
import { badTestBody, requireBody, type TestCall } from './call.ts'
import { resetSettings } from './settings-calls.ts'
import { createWorld } from './world.ts'

const organizationBody = z.strictObject({
  subdomain: z
    .string()
    .refine(isSubdomain, 'must have 1 to 40 lower-case letters, digits and inner hyphens, or none')
    .optional(),
  name: z.string().min(1).max(100).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
})

const userBody = z.strictObject({
  date_joined: z.iso.datetime({ offset: true }).optional(),
  role: z.int().refine(isRole, 'must be 100, 200, 300, 400 or 600').optional(),
  is_active: z.boolean().optional(),
  presence_enabled: z.boolean().optional(),
  email_address_visibility: userSettingDeclarations.email_address_visibility.type.optional(),
})

async function requireRealm(db: Db, id: number): Promise<Realm> {
  const realm = await findRealm(db, id)
  if (realm === null) throw badTestBody({ complaint: 'No such organization' })
  return realm
}

export const organizationCalls: TestCall[] = [
  {
    route: 'POST /testing/organizations',
    async answer({ app, password }, { body }) {
      const { settings = {}, ...given } = requireBody(organizationBody, body)
      return app.services.transaction(async (tx) => {
        const { realm, json } = await createWorld(tx, given, password)
        await changeRealmSettings(tx, realm, settings)
        return json
      })
    },
  },
  {
    route: 'PATCH /testing/organizations/{id}',
    async answer({ app }, { id, body }) {
      const changes = requireBody(z.record(z.string(), z.unknown()), body)
      await app.services.transaction(async (tx) => changeRealmSettings(tx, await requireRealm(tx.db, id), changes))
      return {}
    },
  },
  {
    route: 'PATCH /testing/users/{id}',
    async answer({ app }, { id, body }) {
      const changes = requireBody(userBody, body)
      await app.services.transaction(async (tx) => {
        const user = await findUser(tx.db, id)
        if (user === null) throw badTestBody({ complaint: 'No such user' })
        await changeUser(tx, user, changes)
      })
      return {}
    },
  },
  {
    route: 'POST /testing/reset',
    async answer({ app, clock, mailbox }) {
      await app.postman.settled()
      await app.reset()
      resetSettings(app.services.settings)
      clock.reset()
      mailbox.empty()
      return {}
    },
  },
]

async function changeUser(tx: Transaction, user: User, changes: z.infer<typeof userBody>): Promise<void> {
  const { date_joined, role, is_active, ...settings } = changes
  if (date_joined !== undefined) await saveUserFields(tx, user.id, { joinedAt: Date.parse(date_joined) / 1000 })
  if (role !== undefined && role !== user.role) await setRole(tx, user, role as Role)
  if (is_active === true && user.deactivatedAt !== null) await reactivateUser(tx, user)
  if (is_active === false && user.deactivatedAt === null) {
    await deactivateUser(tx, user)
    await revokeInvitationsOf(tx, user.realmId, user.id)
  }
  await changeUserSettings(tx, user, settings)
}
