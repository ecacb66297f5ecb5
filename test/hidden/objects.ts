import { findConnectionsOf, saveExternalIdentity } from '#identity/external-identities.ts'
import { findTrustedBrowsers, trustBrowser } from '#people/second-factors.ts'
import { openSession } from '#people/sessions.ts'
import { saveRealmEmoji } from '#realms/emoji.ts'
import { saveLinkifier } from '#realms/linkifiers.ts'
import { BotType } from '#rules/role.ts'
import { submitPassword } from '../browser.ts'
import { upload } from '../files.ts'
import type { Chat, Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { type Kind, later } from './id-probes.ts'

/** Creates an object of every kind that belongs to `person`, and a message in one of their channels. */
export async function createObjects(chat: Chat, person: Person, name: string): Promise<Record<Kind, number>> {
  const channel = await chat.channel(name, [person], { realm: person.realm })
  const bot = await chat.user(`${name}-robot`, { realm: person.realm, botType: 1, owner: person })
  await person.succeed('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: [bot.id] })
  const group = { name, description: '', members: [person.id] }
  const { group_id } = await person.succeed('POST /user_groups/create', group)
  await person.succeed('POST /invites', { invitee_emails: `${name}@x.com`, stream_ids: [] })
  await person.succeed('POST /invites/multiuse')
  const { invites } = await person.succeed('GET /invites')
  const { mails } = await person.succeed('GET /mails')
  const emoji = { realmId: person.realm.id, name, authorId: person.id, fileName: 'x.png' }
  await chat.app.services.transaction((tx) => saveRealmEmoji(tx, emoji))
  const rule = { pattern: `${name}-(?P<id>[0-9]+)`, urlTemplate: 'https://x.com/{id}' }
  const linkifier = await chat.app.services.transaction((tx) => saveLinkifier(tx, person.realm.id, rule))
  const draft = { userId: person.id, type: '', recipientIds: '[]', topic: '', content: name, editedAt: 0 }
  const [kept] = await chat.app.services.transaction((tx) =>
    tx.insertInto('drafts').values(draft).returning('id').execute(),
  )
  const { saved_snippet_id } = await person.succeed('POST /saved_snippets', { title: name, content: name })
  const note = { ...later, type: 'direct', to: [person.id] }
  const { scheduled_message_id } = await person.succeed('POST /scheduled_messages', note)
  const { id: field } = await person.succeed('POST /realm/profile_fields', { name, field_type: 1 })
  await person.succeed('PATCH /users/me/profile_data', { data: [{ id: field, value: name }] })
  const site = { name, pygments_language: 'Python', url_template: 'https://x.com/{code}' }
  const { id: playground } = await person.succeed('POST /realm/playgrounds', site)
  const { api_keys } = await person.succeed('GET /users/me/api_keys')
  const { session } = await chat.app.services.transaction((tx) => openSession(tx, person.id, { isKept: true }))
  await submitPassword(chat, person)
  const passkey = await chat.app.services.transaction((tx) =>
    tx
      .insertInto('passkeys')
      .values({
        ...{ userId: person.id, credentialId: name, publicKey: '', counter: 0, transports: '', name },
        ...{ createdAt: 0, lastUsedAt: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await chat.app.services.transaction((tx) => trustBrowser(tx, person.id, ''))
  const service = { provider: 'sso', issuer: 'https://login.example.com', subject: name }
  await chat.app.services.transaction((tx) =>
    saveExternalIdentity(tx, { id: person.id, realmId: person.realm.id }, service),
  )
  const [connection] = await findConnectionsOf(chat.app.services.db, person.id)
  const [browser] = await findTrustedBrowsers(chat.app.services.db, person.id, chat.clock.now())
  const finished = {
    type: 1,
    file: `${name}.tar.gz`,
    bytes: 1,
    attempts: 1,
    requestedAt: chat.clock.now(),
    finishedAt: chat.clock.now(),
  }
  const dataExport = await chat.app.services.transaction((tx) =>
    tx
      .insertInto('dataExports')
      .values({ ...finished, realmId: person.realm.id, actorId: person.id })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const hook = await chat.user(`${name}-hook`, {
    ...{ realm: person.realm, botType: BotType.incomingWebhook, owner: person },
  })
  await person.succeed(`POST /bots/${hook.id}/webhook_test`, { integration: 'github' })
  const { deliveries } = await person.succeed(`GET /bots/${hook.id}/webhook_deliveries`)
  await upload(chat, person)
  const { attachments } = await person.succeed('GET /attachments')
  const message = await sendToChannel(person, channel)
  const at = later.scheduled_delivery_timestamp
  const reminder = { message_id: message, scheduled_delivery_timestamp: at }
  const { reminder_id } = await person.succeed('POST /reminders', reminder)
  return {
    attachment: attachments[0].id,
    field,
    playground,
    key: api_keys[0].id,
    session: session.id,
    passkey: passkey.id,
    connection: connection?.id ?? 0,
    browser: browser?.id ?? 0,
    export: dataExport.id,
    scheduled: scheduled_message_id,
    reminder: reminder_id,
    draft: kept?.id ?? 0,
    snippet: saved_snippet_id,
    user: person.id,
    bot: bot.id,
    hook: hook.id,
    delivery: deliveries[0].id,
    channel: channel.id,
    group: group_id,
    message,
    invitation: invites[0].id,
    mail: mails[0].id,
    link: invites.find((invite: { is_multiuse: boolean }) => invite.is_multiuse).id,
    linkifier,
  }
}

/** Returns the state of an organization, for comparison. */
export async function organizationState(chat: Chat, realmId: number) {
  const { db } = chat.app.services
  const tables = [
    'users',
    'channels',
    'userGroups',
    'messages',
    'invitations',
    'linkifiers',
    'attachments',
    'scheduledMessages',
    'profileFields',
    'playgrounds',
    'dataExports',
    'events',
  ] as const
  const state = []
  for (const table of tables)
    state.push(await db.selectFrom(table).selectAll().where('realmId', '=', realmId).orderBy('id').execute())
  state.push(
    await db
      .selectFrom('userMessages')
      .innerJoin('messages', 'messages.id', 'messageId')
      .select(['messageId', 'userId', 'flags'])
      .where('realmId', '=', realmId)
      .orderBy('userId')
      .execute(),
    await db.selectFrom('userGroupMembers').selectAll().orderBy('groupId').orderBy('userId').execute(),
    await db.selectFrom('drafts').selectAll().orderBy('id').execute(),
    await db.selectFrom('savedSnippets').selectAll().orderBy('id').execute(),
    await db.selectFrom('profileValues').selectAll().orderBy('userId').orderBy('fieldId').execute(),
  )
  return state
}
