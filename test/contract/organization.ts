import { api } from '#api.ts'
import { sendFiles } from '../files.ts'
import type { Person } from '../harness.ts'
import { picture } from '../pictures.ts'
import type { Stage } from './stage.ts'

/** Changes the settings of the organization, its domains, emoji and linkifiers. */
export async function callOrganization({ ada, gus, chat }: Stage): Promise<void> {
  const moderation = await chat.channel('moderation', [ada], { isPrivate: true })
  await changeEverySetting(ada, moderation.id)

  await ada.succeed('POST /realm/domains', { domain: 'example.com', allow_subdomains: false })
  await ada.succeed('GET /realm/domains')
  await ada.succeed('PATCH /realm/domains/example.com', { allow_subdomains: true })
  await ada.succeed('POST /register', { event_types: ['realm_domains'] })
  await ada.succeed('DELETE /realm/domains/example.com')

  const settings = { preset: 'keycloak', name: 'Example', issuer: 'https://127.0.0.1:1', client_id: 'parley' }
  const { id: provider } = await ada.succeed('POST /realm/sign_in_providers', {
    ...{ provider: settings, client_secret: 'secret' },
  })
  await ada.succeed('GET /realm/sign_in_providers')
  await ada.succeed(`POST /realm/sign_in_providers/${provider}/test`)
  await ada.succeed(`PATCH /realm/sign_in_providers/${provider}`, { provider: { ...settings, name: 'Sample' } })
  await ada.succeed(`DELETE /realm/sign_in_providers/${provider}`)

  await ada.succeed('POST /realm/scim_token')
  await ada.succeed('GET /realm/scim_token')
  await ada.succeed('DELETE /realm/scim_token')

  await sendFiles(chat, ada, '/realm/emoji/gizmo', { name: 'gizmo.png', bytes: await picture(20, 20) })
  await gus.succeed('GET /realm/emoji')
  await ada.succeed('POST /register', { event_types: ['realm_emoji'] })
  await ada.succeed('DELETE /realm/emoji/gizmo')
  await ada.call('DELETE /realm/emoji/gizmo')

  const image = { name: 'icon.png', bytes: await picture(20, 20) }
  await sendFiles(chat, ada, '/realm/icon', image)
  await sendFiles(chat, ada, '/realm/logo?night=true', image)
  await ada.succeed('POST /register', { event_types: ['realm'] })
  await ada.succeed('DELETE /realm/icon')
  await ada.succeed('DELETE /realm/logo', { night: true })
  await ada.succeed('GET /realm/usage')
  await ada.succeed('GET /audit_log')
  await ada.succeed('GET /server/health')
  chat.settings.BIG_BLUE_BUTTON_URL = 'https://bbb.example.com/bigbluebutton'
  chat.settings.BIG_BLUE_BUTTON_SECRET = 'secret'
  await gus.succeed('GET /calls/bigbluebutton/create', { meeting_name: 'design', voice_only: true })

  const { id } = await ada.succeed('POST /realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://example.com/{id}',
  })
  await gus.succeed('GET /realm/linkifiers')
  await ada.succeed(`PATCH /realm/filters/${id}`, {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://example.org/{id}',
  })
  await ada.succeed('PATCH /realm/linkifiers', { ordered_linkifier_ids: [id] })
  await ada.succeed('POST /register', { event_types: ['realm_linkifiers', 'realm_filters'] })
  await ada.succeed(`DELETE /realm/filters/${id}`)

  const site = { name: 'Play', pygments_language: 'Python', url_template: 'https://example.com/{code}' }
  const { id: playgroundId } = await ada.succeed('POST /realm/playgrounds', site)
  await ada.succeed('POST /register', { event_types: ['realm_playgrounds'] })
  await ada.succeed(`DELETE /realm/playgrounds/${playgroundId}`)
  await ada.succeed('PATCH /realm/user_settings_defaults', { twenty_four_hour_time: true, color_scheme: 2 })
}

/** Changes every setting of the organization to another value. */
async function changeEverySetting(ada: Person, channelId: number): Promise<void> {
  const params = api.find(({ method, path }) => method === 'PATCH' && path === '/realm')?.params ?? {}
  const state = await ada.succeed('POST /register', { client_capabilities: { parley_extensions: true } })
  for (const name of Object.keys(params)) {
    if (name === 'string_id') continue
    const value = name in otherValues ? otherValues[name] : otherValue(name, state[`realm_${name}`], ada, channelId)
    await ada.succeed('PATCH /realm', { [name]: value })
  }
}

function otherValue(name: string, present: unknown, ada: Person, channelId: number): unknown {
  if (/_stream_id$|_channel_id$/.test(name)) return channelId
  if (/_group$|_groups$/.test(name)) return { new: { direct_members: [ada.id], direct_subgroups: [] } }
  if (typeof present === 'boolean') return !present
  return typeof present === 'number' ? present + 1 : 'changed'
}

const otherValues: Readonly<Record<string, unknown>> = {
  message_edit_history_visibility_policy: 'moves',
  message_retention_days: 7,
  audit_log_retention_days: 365,
  session_idle_minutes: 60,
  session_lifetime_minutes: 1440,
  second_factor_grace_days: 14,
  second_factor_required_for: 'nobody',
  org_type: 10,
  authentication_methods: { Email: true },
  video_chat_provider: 0,
  jitsi_server_url: JSON.stringify('https://meet.example.com'),
}

/** Requests exports, and changes the consent of users to them. */
export async function callExports({ ada, ben, chat }: Stage): Promise<void> {
  await ada.succeed('POST /export/realm', { export_type: 2 })
  await chat.app.jobs.dataExports.settled()
  const { exports } = await ada.succeed('GET /export/realm', { include_size: true })
  await ada.succeed(`DELETE /export/realm/${exports[0].id}`)
  await ben.succeed('PATCH /settings', { allow_private_data_export: true })
  await ada.succeed('GET /export/realm/consents')
  await ben.succeed('POST /users/me/data_export')
  await ben.call('POST /users/me/data_export')
  await chat.app.jobs.dataExports.settled()
  await ben.succeed('GET /users/me/data_export')
  await ben.succeed('DELETE /users/me/data_export')
  await ben.call('DELETE /users/me/data_export')
}

export async function callDeactivation({ ada }: Stage): Promise<void> {
  await ada.call('POST /realm/deactivate', { deletion_delay_days: 30 })
  await ada.succeed('POST /realm/deactivate')
}

/** Creates, changes and deactivates user groups. */
export async function callGroups({ ada, ben, cleo, gus, chat }: Stage): Promise<void> {
  const team = { name: 'team', description: 'We', members: [ben.id] }
  const { group_id: inner } = await ada.succeed('POST /user_groups/create', { ...team, name: 'inner' })
  const { group_id: id } = await ada.succeed('POST /user_groups/create', { ...team, subgroups: [inner] })
  await ada.call('POST /user_groups/create', { ...team, name: 'wrong', members: [4711] })
  await ada.succeed(`PATCH /user_groups/${id}`, { name: 'crew', description: 'Us' })
  for (const setting of ['add_members', 'join', 'leave', 'manage', 'mention', 'remove_members']) {
    const people = { direct_members: [ada.id, ben.id], direct_subgroups: [inner] }
    await ada.succeed(`PATCH /user_groups/${id}`, { [`can_${setting}_group`]: { new: people } })
  }
  await ada.call('PATCH /user_groups/4711', { name: 'x' })
  await ada.succeed(`POST /user_groups/${id}/members`, { add: [cleo.id], delete: [ben.id] })
  await ada.succeed(`POST /user_groups/${id}/subgroups`, { delete: [inner] })
  await ada.succeed(`POST /user_groups/${id}/subgroups`, { add: [inner] })
  for (const part of ['members', 'subgroups', `members/${ben.id}`]) await gus.succeed(`GET /user_groups/${id}/${part}`)
  await gus.succeed('GET /user_groups', { include_deactivated_groups: true })

  await ada.succeed('PATCH /realm', { can_create_groups: { new: id } })
  const channel = { subscriptions: [{ name: 'grouped' }], can_send_message_group: id }
  await ada.succeed('POST /users/me/subscriptions', channel)
  await ada.call(`POST /user_groups/${id}/deactivate`)
  await ada.call('POST /user_groups/4711/deactivate')
  await chat.change({ can_create_groups: 'role:everyone' })
  const { group_id: free } = await ada.succeed('POST /user_groups/create', { ...team, name: 'free' })
  await ada.succeed(`POST /user_groups/${free}/deactivate`)
  await gus.succeed('POST /register', { event_types: ['realm_user_groups'] })
}

/** Sends and manages invitations. */
export async function callInvitations({ ada, ben, gus, design, chat }: Stage): Promise<void> {
  await ada.succeed('POST /invites', { invitee_emails: 'new@example.com, other@example.com', stream_ids: [design.id] })
  await ada.succeed('POST /invites', {
    invitee_emails: 'third@example.com',
    stream_ids: [],
    invite_expires_in_minutes: null,
  })
  const { invites } = await ada.succeed('GET /invites')
  await ada.succeed('GET /invites/choices')
  await ada.succeed('GET /invites/preview')
  await ada.succeed(`POST /invites/${invites[0].id}/resend`)
  const { deliveries } = await ada.succeed('GET /invites/deliveries')
  const { mails } = await ada.succeed('GET /mails', { state: 'queued', recipient: 'new@example.com' })
  await ada.succeed(`POST /mails/${mails[0].id}/retry`)
  await ada.succeed(`GET /mails/${deliveries[0].mail_id}`)
  await ada.succeed(`DELETE /invites/${invites[0].id}`)
  await ada.succeed('GET /invites/ended')
  await ada.call(`POST /invites/${invites[0].id}/resend`)
  await ada.call(`DELETE /invites/${invites[0].id}`)
  await ada.succeed(`PATCH /invites/${invites[1].id}`, { invite_expires_in_minutes: null })
  await callLinks(ada, design.id)
  await ada.call('POST /invites', { invitee_emails: `${ben.email}, fourth@example.com`, stream_ids: [] })
  await ada.call('POST /invites', { invitee_emails: '', stream_ids: [] })
  await ada.call('POST /invites', { invitee_emails: 'fifth@example.com', stream_ids: [4711] })
  await chat.change({ can_add_subscribers_group: 'role:nobody', create_multiuse_invite_group: 'role:members' })
  await ben.call('POST /invites', { invitee_emails: 'sixth@example.com', stream_ids: [design.id] })
  await ben.call('POST /invites/multiuse', { stream_ids: [design.id] })
  await chat.change({ can_invite_users_group: 'role:administrators' })
  await ben.call('POST /invites', { invitee_emails: 'sixth@example.com', stream_ids: [] })
  await gus.call('POST /invites', { invitee_emails: 'sixth@example.com', stream_ids: [] })
  await chat.change({ create_multiuse_invite_group: 'role:administrators' })
  await ben.call('POST /invites/multiuse')
}

async function callLinks(ada: Person, channelId: number): Promise<void> {
  const limits = { max_uses: 3, allowed_domains: ['example.com'] }
  await ada.succeed('POST /invites/multiuse', { stream_ids: [channelId], ...limits })
  const { invites } = await ada.succeed('GET /invites')
  const { id } = invites.at(-1)
  await ada.succeed(`PATCH /invites/multiuse/${id}`, { invite_expires_in_minutes: 60 })
  await ada.succeed(`DELETE /invites/multiuse/${id}`)
  await ada.call(`DELETE /invites/multiuse/${id}`)
  await ada.call('DELETE /invites/multiuse/4711')
  await ada.call('POST /invites/multiuse', { stream_ids: [4711] })
}
