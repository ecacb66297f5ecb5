import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { parseUrlTemplate } from '#markdown/linkifier.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import {
  deletePlayground,
  findPlaygrounds,
  type Playground,
  savePlayground,
  toPlaygroundJson,
} from '#realms/playgrounds.ts'
import { lockRealm } from '#realms/queries.ts'
import { filledText } from '#realms/realm-settings.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

const badLanguage = refusal('BAD_REQUEST', 400, 'Invalid characters in pygments language', {
  field: 'pygments_language',
})
const badPlaygroundTemplate = refusal('BAD_REQUEST', 400, 'Invalid URL template.', { field: 'url_template' })
const templateWithoutCode = refusal('BAD_REQUEST', 400, 'Missing the required variable "code" in the URL template', {
  field: 'url_template',
})
const templateWithMore = refusal('BAD_REQUEST', 400, '"code" should be the only variable present in the URL template', {
  field: 'url_template',
})
const playgroundExists = refusal(
  'BAD_REQUEST',
  400,
  'Realm playground with this Realm, Pygments language and Name already exists.',
)
const noSuchPlayground = refusal('BAD_REQUEST', 400, 'Invalid playground')

/** Adds a playground. Returns its id. */
async function addPlayground(tx: Transaction, actor: Actor, playground: Omit<Playground, 'id'>): Promise<number> {
  requireAdministrator(actor)
  const { name, language, urlTemplate } = playground
  if (!/^[ \w+,\-./#]*$/.test(language)) throw badLanguage()
  requireTemplate(urlTemplate)
  await lockRealm(tx, actor.realmId)
  const current = await findPlaygrounds(tx.db, actor.realmId)
  if (current.some((other) => other.name === name && other.language === language)) throw playgroundExists()
  const id = await savePlayground(tx, actor.realmId, playground)
  await recordAudit(tx, actor.realmId, 'organization_changed', { setting: 'playgrounds', from: null, to: name })
  await emitPlaygrounds(tx, actor.realmId)
  return id
}

async function removePlayground(tx: Transaction, actor: Actor, id: number): Promise<void> {
  requireAdministrator(actor)
  await lockRealm(tx, actor.realmId)
  const playground = (await findPlaygrounds(tx.db, actor.realmId)).find((one) => one.id === id)
  if (playground === undefined || !(await deletePlayground(tx, actor.realmId, id))) throw noSuchPlayground()
  await recordAudit(tx, actor.realmId, 'organization_changed', {
    setting: 'playgrounds',
    from: playground.name,
    to: null,
  })
  await emitPlaygrounds(tx, actor.realmId)
}

/** Refuses a template unless it is a valid HTTP URL template with `code` as its only variable. */
function requireTemplate(text: string): void {
  const template = parseUrlTemplate(text)
  if (template === null || !/^https?:\/\/[^/{}]/i.test(text)) throw badPlaygroundTemplate()
  if (!template.variables.has('code')) throw templateWithoutCode()
  if (template.variables.size > 1) throw templateWithMore()
}

async function emitPlaygrounds(tx: Transaction, realmId: number): Promise<void> {
  const realm_playgrounds = (await findPlaygrounds(tx.db, realmId)).map(toPlaygroundJson)
  await emitOrganizationEvents(tx, realmId, [{ type: 'realm_playgrounds', realm_playgrounds }])
}

export const addPlaygroundEndpoint = endpoint({
  route: 'POST /realm/playgrounds',
  summary: 'Add a code playground',
  who: 'user',
  params: {
    name: filledText(MAX_LENGTH.playgroundName),
    url_template: filledText(MAX_LENGTH.playgroundTemplate).describe(
      'An RFC 6570 URI template: `https://example.com/run?code={code}`.',
    ),
    pygments_language: filledText(MAX_LENGTH.playgroundLanguage).describe(
      'The language, usually by its Pygments name.',
    ),
  },
  returns: { id: z.int() },
  refuses: [
    mustBeAdministrator,
    badLanguage,
    badPlaygroundTemplate,
    templateWithoutCode,
    templateWithMore,
    playgroundExists,
  ],
  async handle({ transaction, actor }, { name, pygments_language: language, url_template: urlTemplate }) {
    return { id: await transaction((tx) => addPlayground(tx, actor, { name, language, urlTemplate })) }
  },
})

export const removePlaygroundEndpoint = endpoint({
  route: 'DELETE /realm/playgrounds/{playground_id}',
  summary: 'Remove a code playground',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchPlayground],
  async handle({ transaction, actor }, { playground_id }) {
    await transaction((tx) => removePlayground(tx, actor, playground_id))
    return {}
  },
})
