import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { api } from '#api.ts'
import { mustBeOwnerToInviteOwners } from '#invitations/inviting/access.ts'
import type { RefusalKind } from '#lib/errors.ts'
import { mustBeAdministrator, mustBeOwner } from '#people/access.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from './harness.ts'

/** Starts an organization in which an owner has a bot and invitations, and a moderator has a channel and a bot. */
async function startOrganization() {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const [ada, mia] = [
    await chat.user('ada', { role: Role.administrator }),
    await chat.user('mia', { role: Role.moderator }),
  ]
  const ben = await chat.user('ben')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: olga })
  const botOfMia = await chat.user('helper', { botType: BotType.generic, owner: mia })
  const { id: stream_id } = await chat.channel('design', [olga, ada, mia], { creatorId: mia.id })
  await olga.succeed('POST /realm/domains', { domain: 'parley.example', allow_subdomains: false })
  await olga.succeed('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [], invite_as: Role.owner })
  const { invites } = await olga.succeed('GET /invites')
  await olga.succeed('POST /invites/multiuse', { invite_as: Role.owner })
  return {
    ...{ ada, mia, stream_id, invite_id: invites[0].id as number },
    ...{ olga: olga.id, ben: ben.id, bot: bot.id, botOfMia: botOfMia.id },
  }
}
type Organization = Awaited<ReturnType<typeof startOrganization>>

/** Routes as in the API reference, with parameters. Those of the path are among them. */
type Calls = (organization: Organization) => readonly (readonly [route: string, params?: Record<string, unknown>])[]

const GROUP = { new: { direct_members: [], direct_subgroups: [] } }
const DOMAIN = { domain: 'parley.example' }
const LINKIFIER = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' }

const PROVIDER = { preset: 'google', client_id: 'ours' }

const ofOwners: Calls = ({ olga, ben, bot, stream_id }) => [
  ['PATCH /realm', { audit_log_retention_days: 30 }],
  ['PATCH /realm', { authentication_methods: { Email: true } }],
  ['GET /realm/sign_in_providers'],
  ['POST /realm/sign_in_providers', { provider: PROVIDER, client_secret: 'secret' }],
  ['PATCH /realm/sign_in_providers/{provider_id}', { provider_id: 'own-1', provider: PROVIDER }],
  ['DELETE /realm/sign_in_providers/{provider_id}', { provider_id: 'own-1' }],
  ['POST /realm/sign_in_providers/{provider_id}/test', { provider_id: 'own-1' }],
  ['PATCH /realm', { can_create_groups: GROUP }],
  ['PATCH /realm', { can_invite_users_group: GROUP }],
  ['PATCH /realm', { can_manage_all_groups: GROUP }],
  ['PATCH /realm', { create_multiuse_invite_group: GROUP }],
  ['PATCH /realm', { disallow_disposable_email_addresses: false }],
  ['PATCH /realm', { emails_restricted_to_domains: true }],
  ['PATCH /realm', { invite_required: false }],
  ['PATCH /realm', { message_retention_days: 30 }],
  ['PATCH /realm', { session_idle_minutes: 60 }],
  ['PATCH /realm', { session_lifetime_minutes: 60 }],
  ['PATCH /realm', { second_factor_grace_days: 14 }],
  ['PATCH /realm', { second_factor_required_for: 'nobody' }],
  ['PATCH /realm', { waiting_period_threshold: 0 }],
  ['POST /realm/deactivate'],
  ['GET /realm/scim_token'],
  ['POST /realm/scim_token'],
  ['DELETE /realm/scim_token'],
  ['POST /realm/domains', { domain: 'elsewhere.example', allow_subdomains: false }],
  ['PATCH /realm/domains/{domain}', { ...DOMAIN, allow_subdomains: true }],
  ['DELETE /realm/domains/{domain}', DOMAIN],
  ['PATCH /streams/{stream_id}', { stream_id, message_retention_days: 30 }],
  ['GET /streams/{stream_id}/email_address', { stream_id, sender_id: bot }],
  ['DELETE /streams/{stream_id}/email_address', { stream_id, sender_id: bot }],
  ['POST /users/me/subscriptions', { subscriptions: [{ name: 'new' }], message_retention_days: 30 }],
  ['PATCH /users/{user_id}', { user_id: olga, role: Role.member }],
  ['PATCH /users/{user_id}', { user_id: olga, new_email: 'other@example.com' }],
  ['PATCH /users/{user_id}', { user_id: ben, role: Role.owner }],
  ['PATCH /users/{email}', { email: 'olga@example.com', role: Role.member }],
  ['DELETE /users/{user_id}', { user_id: olga }],
  ['DELETE /users/{user_id}/sessions', { user_id: olga }],
  ['DELETE /users/{user_id}/second_factors', { user_id: olga }],
  ['GET /users/{user_id}/erasure', { user_id: ben }],
  ['POST /users/{user_id}/erasure', { user_id: ben }],
  ['POST /users/{user_id}/reactivate', { user_id: bot }],
  ['PATCH /bots/{bot_id}', { bot_id: bot, full_name: 'Mine' }],
  ['DELETE /bots/{bot_id}', { bot_id: bot }],
  ['POST /bots/{bot_id}/api_key/regenerate', { bot_id: bot }],
  ['POST /bots/{bot_id}/api_keys', { bot_id: bot }],
  ['GET /bots/{bot_id}/webhook_secrets', { bot_id: bot }],
  ['PUT /bots/{bot_id}/webhook_secrets/{integration}', { bot_id: bot, integration: 'github', secret: 'x' }],
  ['GET /bots/{bot_id}/webhook_deliveries', { bot_id: bot }],
  ['POST /bots/{bot_id}/webhook_test', { bot_id: bot, integration: 'github' }],
  ['POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again', { bot_id: bot, delivery_id: 1 }],
]

const ofOwnersWhenInviting: Calls = ({ invite_id }) => [
  ['POST /invites', { invitee_emails: 'late@example.com', stream_ids: [], invite_as: Role.owner }],
  ['POST /invites/multiuse', { invite_as: Role.owner }],
  ['PATCH /invites/{invite_id}', { invite_id, invite_expires_in_minutes: 60 }],
  ['DELETE /invites/{invite_id}', { invite_id }],
  ['PATCH /invites/multiuse/{invite_id}', { invite_id: invite_id + 1, invite_expires_in_minutes: 60 }],
  ['DELETE /invites/multiuse/{invite_id}', { invite_id: invite_id + 1 }],
  ['POST /invites/{invite_id}/resend', { invite_id }],
]

const ofAdministrators: Calls = ({ botOfMia, stream_id }) => [
  ['PATCH /realm', { description: 'Ours' }],
  ['PATCH /realm/user_settings_defaults', { twenty_four_hour_time: true }],
  ['GET /realm/usage'],
  ['GET /audit_log'],
  ['GET /server/health'],
  ['GET /realm/second_factors'],
  ['POST /realm/icon'],
  ['DELETE /realm/icon'],
  ['POST /realm/logo', { night: false }],
  ['DELETE /realm/logo', { night: false }],
  ['PATCH /realm/linkifiers', { ordered_linkifier_ids: [] }],
  ['POST /realm/filters', LINKIFIER],
  ['PATCH /realm/filters/{filter_id}', { filter_id: 1, ...LINKIFIER }],
  ['DELETE /realm/filters/{filter_id}', { filter_id: 1 }],
  ['POST /realm/playgrounds', { name: 'Ours', pygments_language: 'Rust', url_template: 'https://example.com/{code}' }],
  ['DELETE /realm/playgrounds/{playground_id}', { playground_id: 1 }],
  ['PATCH /realm/profile_fields', { order: [] }],
  ['POST /realm/profile_fields', { name: 'Team', field_type: 1 }],
  ['PATCH /realm/profile_fields/{field_id}', { field_id: 1, name: 'Team' }],
  ['DELETE /realm/profile_fields/{field_id}', { field_id: 1 }],
  ['GET /export/realm'],
  ['POST /export/realm'],
  ['DELETE /export/realm/{export_id}', { export_id: 1 }],
  ['GET /export/realm/consents'],
  ['GET /mails'],
  ['GET /mails/{mail_id}', { mail_id: 1 }],
  ['POST /mails/{mail_id}/retry', { mail_id: 1 }],
  ['POST /default_streams', { stream_id }],
  ['DELETE /default_streams', { stream_id }],
  ['PATCH /streams/{stream_id}', { stream_id, is_default_stream: true }],
  ['POST /streams/{stream_id}/delete_topic', { stream_id, topic_name: 'tea' }],
  ['POST /users', { email: 'late@example.com', password: 'a long and unusual password', full_name: 'Late' }],
  ['PATCH /users/{user_id}', { user_id: botOfMia, role: Role.moderator }],
  ['PATCH /users/{email}', { email: 'helper@example.com', role: Role.moderator }],
  ['PATCH /bots/{bot_id}', { bot_id: botOfMia, role: Role.moderator }],
]

for (const [title, kind, calls, role] of [
  ['owner', mustBeOwner, ofOwners, 'ada'],
  ['owner who invites owners', mustBeOwnerToInviteOwners, ofOwnersWhenInviting, 'ada'],
  ['administrator', mustBeAdministrator, ofAdministrators, 'mia'],
] as const) {
  suite(`calls that require an ${title}`, () => {
    test('are refused for the next lower role', async () => {
      const organization = await startOrganization()

      const messages = new Map<string, string>()
      for (const [route, params] of calls(organization))
        messages.set(`${route} ${JSON.stringify(params)}`, await messageOf(organization[role], route, params))

      const others = [...messages].filter(([, message]) => message !== kind().message)
      assert.deepEqual(others, [])
    })

    test('are all listed here', async () => {
      const listed = new Set(calls(await startOrganization()).map(([route]) => route))

      assert.deepEqual([...routesWith(kind).difference(listed)], [])
    })
  })
}

/** Returns the error message for a call; '' if it succeeds. */
async function messageOf(person: Person, route: string, params: Record<string, unknown> = {}): Promise<string> {
  const left = { ...params }
  const filled = route.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = left[name]
    delete left[name]
    return encodeURIComponent(String(value))
  })
  return (await person.call(filled, left)).msg
}

/** Returns the routes that declare a refusal. */
const routesWith = (kind: RefusalKind): Set<string> =>
  new Set(api.filter(({ refuses }) => refuses.includes(kind)).map(({ method, path }) => `${method} ${path}`))
