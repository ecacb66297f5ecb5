import { z } from 'zod'
import { changeUserSettings, type PresenceBoards } from '#accounts/change-user-settings.ts'
import { deactivateUser, reactivateUser, setRole } from '#accounts/change-users.ts'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { findUser, saveUserFields } from '#people/user-queries.ts'
import { userSettingDeclarations } from '#people/user-settings.ts'
import type { Actor } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { isSubdomain, type Realm } from '#realms/realm.ts'
import { isRole, type Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { createSample } from '../sample/create-sample.ts'
import { resetSettings } from './settings-calls.ts'
import { badTestBody, requireBody, settleMail, type TestCall } from './test-call.ts'
import { createWorld } from './test-world.ts'

const organizationBody = z.strictObject({
  subdomain: z
    .string()
    .refine(isSubdomain, 'must have 1 to 40 lower-case letters, digits and inner hyphens, or none')
    .optional(),
  name: z.string().min(1).max(100).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  preset: z.literal('sample').optional(),
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
      const { settings = {}, preset, ...given } = requireBody(organizationBody, body)
      const { transaction } = app.services
      if (preset === 'sample') return createSample(app.services, given, settings, password)
      return transaction(async (tx) => {
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
      const { db, presence, transaction } = app.services
      const realmId = (await requireAccount(db, id)).realmId
      const board = await presence.forRealm(realmId)
      await transaction(async (tx) => changeUser(tx, await requireAccount(tx.db, id), changes, { presence, board }))
      return {}
    },
  },
  {
    route: 'POST /testing/reset',
    async answer(context) {
      const { app, clock, mailbox } = context
      await settleMail(app)
      await app.reset()
      resetSettings(context)
      context.faults.length = 0
      await clock.reset()
      mailbox.empty()
      return {}
    },
  },
]

async function requireAccount(db: Db, id: number): Promise<Actor> {
  const user = await findUser(db, id)
  if (user === null) throw badTestBody({ complaint: 'No such user' })
  return { ...user, realm: await requireRealm(db, user.realmId) }
}

async function changeUser(
  tx: Transaction,
  account: Actor,
  changes: z.infer<typeof userBody>,
  presence: PresenceBoards,
): Promise<void> {
  const { realm } = account
  const { date_joined, role, is_active, ...settings } = changes
  if (date_joined !== undefined) await saveUserFields(tx, account.id, { joinedAt: Date.parse(date_joined) / 1000 })
  if (role !== undefined && role !== account.role) await setRole(tx, realm, account, role as Role)
  if (is_active === true) await reactivateUser(tx, realm, account)
  if (is_active === false && account.deactivatedAt === null) await deactivateUser(tx, realm, account)
  await changeUserSettings(tx, await requireAccount(tx.db, account.id), settings, presence)
}
