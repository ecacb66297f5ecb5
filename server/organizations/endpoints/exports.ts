import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { mustBeAdministrator, requireAdministrator } from '../../people/users/access.ts'
import { findRealmUsers } from '../../people/users/queries.ts'
import { isBot } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'

const noExports = refusal('BAD_REQUEST', 400, 'Exports are not available in the API yet.')

const exportJson = z.strictObject({
  id: z.int(),
  acting_user_id: z.int(),
  export_time: z.number(),
  deleted_timestamp: z.number().nullable(),
  failed_timestamp: z.number().nullable(),
  export_url: z.string().nullable(),
  pending: z.boolean(),
  export_type: z.int(),
})

export const listExports = endpoint({
  route: 'GET /export/realm',
  summary: 'List the exports of the organization',
  description: 'Always empty, because exports are only available on the command line of the server.',
  who: 'user',
  returns: { exports: z.array(exportJson) },
  refuses: [mustBeAdministrator],
  handle({ actor }) {
    requireAdministrator(actor)
    return { exports: [] }
  },
})

export const startExport = endpoint({
  route: 'POST /export/realm',
  summary: 'Export the organization',
  description: 'Always refused, because exports are not available in the API yet.',
  who: 'user',
  refuses: [noExports],
  handle() {
    throw noExports()
  },
})

export const listExportConsents = endpoint({
  route: 'GET /export/realm/consents',
  summary: 'List who consents to the export of their private data',
  description: 'All active users except bots. Requires an administrator.',
  who: 'user',
  returns: { export_consents: z.array(z.strictObject({ user_id: z.int(), consented: z.boolean() })) },
  refuses: [mustBeAdministrator],
  async handle({ db, actor }) {
    requireAdministrator(actor)
    const users = await findRealmUsers(db, actor.realmId)
    const people = users.filter((user) => !isBot(user) && user.deactivatedAt === null)
    return {
      export_consents: people.map(({ id, settings }) => ({
        user_id: id,
        consented: settings.allow_private_data_export,
      })),
    }
  },
})
