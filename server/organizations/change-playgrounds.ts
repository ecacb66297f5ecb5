import { refusal } from '#lib/errors/refusal.ts'
import { parseUrlTemplate } from '#markdown/links/url-template.ts'
import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { toPlaygroundJson } from '#realms/playground-json.ts'
import { deletePlayground, findPlaygrounds, type Playground, savePlayground } from '#realms/playground-queries.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './events.ts'

export const badLanguage = refusal('BAD_REQUEST', 400, 'Invalid characters in pygments language', {
  field: 'pygments_language',
})
export const badPlaygroundTemplate = refusal('BAD_REQUEST', 400, 'Invalid URL template.', { field: 'url_template' })
export const templateWithoutCode = refusal(
  'BAD_REQUEST',
  400,
  'Missing the required variable "code" in the URL template',
  { field: 'url_template' },
)
export const templateWithMore = refusal(
  'BAD_REQUEST',
  400,
  '"code" should be the only variable present in the URL template',
  { field: 'url_template' },
)
export const playgroundExists = refusal(
  'BAD_REQUEST',
  400,
  'Realm playground with this Realm, Pygments language and Name already exists.',
)
export const noSuchPlayground = refusal('BAD_REQUEST', 400, 'Invalid playground')

/** Adds a playground. Returns its id. */
export async function addPlayground(
  tx: Transaction,
  actor: Actor,
  playground: Omit<Playground, 'id'>,
): Promise<number> {
  requireAdministrator(actor)
  const { name, language, urlTemplate } = playground
  if (!/^[ \w+,\-./#]*$/.test(language)) throw badLanguage()
  requireTemplate(urlTemplate)
  await lockRealm(tx, actor.realmId)
  const current = await findPlaygrounds(tx.db, actor.realmId)
  if (current.some((other) => other.name === name && other.language === language)) throw playgroundExists()
  const id = await savePlayground(tx, actor.realmId, playground)
  await emitPlaygrounds(tx, actor.realmId)
  return id
}

export async function removePlayground(tx: Transaction, actor: Actor, id: number): Promise<void> {
  requireAdministrator(actor)
  await lockRealm(tx, actor.realmId)
  if (!(await deletePlayground(tx, actor.realmId, id))) throw noSuchPlayground()
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
