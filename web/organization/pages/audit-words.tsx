import type { ReactNode } from 'react'
import type { GroupSettingName } from '#groups/group.ts'
import type { AnswerOf } from '../../api/call.ts'
import { GROUP_PERMISSIONS } from '../../directory/group-rights.ts'
import { SYSTEM_GROUPS } from '../../picking/group.ts'
import { describeSetting } from '../../picking/setting-values.ts'
import { ORGANIZATION_SETTINGS } from '../../settings/organization-settings.ts'
import { PERSONAL_SETTINGS, type SettingText } from '../../settings/personal-settings.ts'
import type { Organization } from '../../store/organization.ts'
import { findPerson } from '../../store/organization.ts'
import { roleName } from '../../store/people.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'

export type AuditEntry = AnswerOf<'GET /audit_log'>['entries'][number]

type Kind = AuditEntry['kind']

export const AUDIT_CATEGORIES: readonly { id: AuditEntry['category']; label: string }[] = [
  { id: 'sign_in', label: t('Sign-ins and keys') },
  { id: 'accounts', label: t('Accounts') },
  { id: 'bots', label: t('Bots') },
  { id: 'invitations', label: t('Invitations') },
  { id: 'organization', label: t('Organization') },
  { id: 'channels', label: t('Channels') },
  { id: 'groups', label: t('Groups') },
  { id: 'data', label: t('Data and messages') },
]

const LISTS: Readonly<Record<string, string>> = {
  name: t('Name'),
  audit_log_retention_days: t('Audit log retention'),
  custom_profile_fields: t('Profile fields'),
  date_created: t('Date of creation'),
  dayLogo: t('Logo'),
  default_language: t('Language'),
  domains: t('Domains'),
  emoji: t('Custom emoji'),
  icon: t('Icon'),
  license_limit: t('Number of accounts'),
  linkifier_order: t('Order of linkifiers'),
  linkifiers: t('Linkifiers'),
  logo: t('Logo'),
  max_invites: t('Number of invitations'),
  nightLogo: t('Logo for the dark theme'),
  night_logo: t('Logo for the dark theme'),
  playgrounds: t('Playgrounds'),
  profile_field_order: t('Order of profile fields'),
  sign_in_providers: t('Sign-in providers'),
  subdomain: t('Address'),
  database: t('Database'),
}

/** Returns the label of a setting of the organization by its API name. */
function settingLabel(name: string): string {
  return ORGANIZATION_SETTINGS.find((one) => one.name === name)?.label ?? LISTS[name] ?? name
}

/** Returns the API names of the settings whose label contains the text. */
export function settingsNamed(text: string): string[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const all = new Set([...ORGANIZATION_SETTINGS.map(({ name }) => name), ...Object.keys(LISTS)])
  return [...all]
    .filter((name) => /^[a-z_0-9]+$/.test(name) && settingLabel(name).toLowerCase().includes(wanted))
    .slice(0, 50)
}

const defaultSettingLabel = (name: string): string =>
  (PERSONAL_SETTINGS as Readonly<Record<string, SettingText>>)[name]?.label ?? name

const PROPERTIES: Readonly<Record<string, string>> = {
  name: t('Name'),
  description: t('Description'),
  privacy: t('Privacy'),
  is_default: t('Default channel'),
  message_retention_days: t('Message retention'),
  can_send_message_group: t('Who can post?'),
  can_subscribe_group: t('Who can subscribe?'),
  can_add_subscribers_group: t('Who can add subscribers?'),
  can_remove_subscribers_group: t('Who can remove subscribers?'),
  can_administer_channel_group: t('Who can administer the channel?'),
}

const propertyLabel = (name: string): string =>
  GROUP_PERMISSIONS[name as GroupSettingName]?.label ?? PROPERTIES[name] ?? name

const WORDS: Readonly<Record<string, string>> = {
  public: t('Public'),
  private: t('Private, shared history'),
  private_without_history: t('Private, protected history'),
  web_public: t('Web-public'),
}

const detail = ({ details }: AuditEntry, name: string): string => String(details[name] ?? '')

const roleIn = ({ details }: AuditEntry, name: string): string => roleName(Number(details[name]))

type Words = {
  what: (entry: AuditEntry) => ReactNode
  change: (entry: AuditEntry, organization: Organization) => ReactNode
}

const bold = (parts: ReactNode) => <b>{parts}</b>

const nameOf = ({ target_name, target_id }: AuditEntry): string =>
  target_name ?? t('Unknown ({id})', { id: target_id ?? 0 })

const account = (entry: AuditEntry) => rich('Account of <b>{name}</b>', { name: nameOf(entry), b: bold })
const passwordOf = (entry: AuditEntry) => rich('Password of <b>{name}</b>', { name: nameOf(entry), b: bold })
const keysOf = (entry: AuditEntry) => rich('API keys of <b>{name}</b>', { name: nameOf(entry), b: bold })
const addressOf = (entry: AuditEntry) => rich('Email address of <b>{name}</b>', { name: nameOf(entry), b: bold })
const bot = (entry: AuditEntry) => rich('Bot <b>{name}</b>', { name: nameOf(entry), b: bold })
const channel = (entry: AuditEntry) => rich('Channel <b>#{name}</b>', { name: nameOf(entry), b: bold })
const group = (entry: AuditEntry) => rich('Group <b>{name}</b>', { name: nameOf(entry), b: bold })
const organization = () => t('Organization')
const invitation = (entry: AuditEntry) =>
  detail(entry, 'email') === ''
    ? t('Invitation link')
    : rich('Invitation of <b>{email}</b>', { email: detail(entry, 'email'), b: bold })

const is = (what: Words['what'], change: string | ((entry: AuditEntry) => ReactNode)): Words => ({
  what,
  change: typeof change === 'string' ? () => change : change,
})

const SCOPES: Readonly<Record<string, string>> = {
  everything: t('All data'),
  public: t('Public data'),
  consented: t('Data of people who allow it'),
}

const withScope = (entry: AuditEntry, state: string) =>
  t('{scope}: {state}', { scope: SCOPES[detail(entry, 'scope')] ?? detail(entry, 'scope'), state })

const HOW: Readonly<Record<string, string>> = {
  password: t('with a password'),
  fetch_api_key: t('with a password, in an app'),
  invitation: t('after joining by an invitation'),
  'sign-up': t('after joining'),
  setup: t('after the setup'),
  settings: t('in the settings'),
  reset: t('by a link that was emailed'),
  proxy: t('by the single sign-on of the proxy'),
  jwt: t('with a token of another program'),
}

const how = (entry: AuditEntry) => HOW[detail(entry, 'by')] ?? t('with {method}', { method: detail(entry, 'by') })

/** The words for each kind of entry: what it is about, and the change. */
const KINDS: Readonly<Record<Kind, Words>> = {
  login: is((entry) => (entry.actor_id === entry.target_id ? t('Signed in') : account(entry)), how),
  logout: is(() => t('Signed out'), ''),
  sign_in_connected: is(account, (entry) => t('Connected to {service}', { service: detail(entry, 'by') })),
  sign_in_disconnected: is(account, (entry) =>
    detail(entry, 'by') === ''
      ? t('Disconnected from all other services')
      : t('Disconnected from {service}', { service: detail(entry, 'by') }),
  ),
  second_factor_changed: is(
    (entry) => rich('Two-factor sign-in of <b>{name}</b>', { name: nameOf(entry), b: bold }),
    (entry) => t('Changed: {what}', { what: detail(entry, 'by') }),
  ),
  second_factor_reset: is(
    (entry) => rich('Two-factor sign-in of <b>{name}</b>', { name: nameOf(entry), b: bold }),
    t('Turned off by someone else'),
  ),
  password_changed: is(passwordOf, (entry) => t('Changed {how}', { how: how(entry) })),
  sessions_closed: is(account, t('Logged out of other browsers')),
  logged_out_by_other: is(account, t('Logged out everywhere')),
  api_key_created: is(keysOf, t('Created')),
  api_key_deleted: is(keysOf, t('Deleted')),
  api_keys_replaced: is(keysOf, t('Replaced')),
  email_change_requested: is(addressOf, (entry) => t('Requested: {email}', { email: detail(entry, 'to') })),
  email_changed: { what: addressOf, change: fromTo },
  email_change_undone: is(addressOf, t('Change undone')),
  account_created: is(account, (entry) => t('Created as {role}', { role: roleIn(entry, 'role') })),
  account_deactivated: is(account, t('Deactivated')),
  account_reactivated: is(account, t('Reactivated')),
  account_erased: is(account, t('Erased permanently')),
  role_changed: {
    what: (entry) => rich('Role of <b>{name}</b>', { name: nameOf(entry), b: bold }),
    change: (entry) => <Change from={roleIn(entry, 'from')} to={roleIn(entry, 'to')} />,
  },
  name_changed: { what: account, change: fromTo },
  profile_changed: is(account, t('Profile fields changed')),
  bot_created: is(bot, t('Created')),
  bot_owner_changed: {
    what: (entry) => rich('Owner of <b>{name}</b>', { name: nameOf(entry), b: bold }),
    change: ({ details }, { realm_users, realm_non_active_users }) => {
      const name = (id: unknown) =>
        findPerson({ realm_users, realm_non_active_users, cross_realm_bots: [] }, Number(id))?.full_name ?? t('Nobody')
      return <Change from={name(details['from'])} to={name(details['to'])} />
    },
  },
  bot_address_changed: is(bot, t('Address of the webhook changed')),
  webhook_secret_changed: is(bot, t('Webhook secret changed')),
  invitations_sent: {
    what: ({ details }) => {
      const emails = Array.isArray(details['emails']) ? details['emails'].map(String) : []
      const [first = '', ...others] = emails
      return others.length === 0
        ? rich('Account of <b>{email}</b>', { email: first, b: bold })
        : t('{count, plural, one {# person} other {# people}}: {emails}', {
            count: emails.length,
            emails: emails.join(', '),
          })
    },
    change: (entry) => t('Invited as {role}', { role: roleIn(entry, 'role') }),
  },
  invitation_resent: is(invitation, t('Sent again')),
  invitation_link_created: is(invitation, (entry) => t('Created for {role}', { role: roleIn(entry, 'role') })),
  invitation_extended: is(invitation, t('Lifetime changed')),
  invitation_revoked: is(invitation, t('Revoked')),
  organization_created: is(organization, t('Created')),
  organization_changed: {
    what: (entry) => rich('Setting <b>{name}</b>', { name: settingLabel(detail(entry, 'setting')), b: bold }),
    change: fromTo,
  },
  default_setting_changed: {
    what: (entry) =>
      rich('Default setting <b>{name}</b>', { name: defaultSettingLabel(detail(entry, 'setting')), b: bold }),
    change: fromTo,
  },
  organization_deactivated: is(organization, t('Deactivated')),
  organization_reactivated: is(organization, t('Reactivated')),
  scim_token_created: is(() => t('Token of the directory (SCIM)'), t('Created')),
  scim_token_deleted: is(() => t('Token of the directory (SCIM)'), t('Deleted')),
  channel_created: is(channel, (entry) =>
    t('Created: {privacy}', { privacy: WORDS[detail(entry, 'privacy')] ?? detail(entry, 'privacy') }),
  ),
  channel_changed: { what: channel, change: propertyChange },
  channel_addresses_deleted: is(channel, t('Email address deleted')),
  channel_archived: is(channel, t('Archived')),
  channel_unarchived: is(channel, t('Unarchived')),
  group_created: is(group, t('Created')),
  group_changed: { what: group, change: propertyChange },
  group_members_changed: is(group, memberChange),
  group_deactivated: is(group, t('Deactivated')),
  group_reactivated: is(group, t('Reactivated')),
  message_deleted: is((entry) => rich('Message of <b>{name}</b>', { name: nameOf(entry), b: bold }), t('Deleted')),
  topic_deleted: is(channel, ({ details }) =>
    t('{count, plural, one {# message} other {# messages}} of a topic deleted', { count: Number(details['messages']) }),
  ),
  export_started: is(
    () => t('Data export'),
    (entry) => withScope(entry, t('requested')),
  ),
  export_downloaded: is(
    () => t('Data export'),
    (entry) => withScope(entry, t('downloaded')),
  ),
  export_deleted: is(
    () => t('Data export'),
    (entry) => withScope(entry, t('deleted')),
  ),
  legal_hold_started: is(() => t('Legal hold'), t('Started')),
  legal_hold_ended: is(() => t('Legal hold'), t('Ended')),
  mail_retried: is(() => t('Email'), t('Sent again')),
  own_data_requested: is(account, t('Archive of their data requested')),
  own_data_downloaded: is(account, t('Archive of their data downloaded')),
}

/** The words for kinds that this version of the client does not know, as of a newer server. */
const UNKNOWN: Words = { what: ({ kind }) => kind, change: fromTo }

/** Returns the words for an entry. */
export const wordsOf = ({ kind }: AuditEntry): Words => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : UNKNOWN)

function Change({ from, to }: { from: string; to: string }): ReactNode {
  if (from === '' && to === '') return t('Changed')
  return (
    <>
      {from !== '' && (
        <>
          <span className="visually-hidden">{t('From')} </span>
          <s className="soft">{from}</s>{' '}
        </>
      )}
      <span aria-hidden="true">→ </span>
      <span className="visually-hidden">{t('to')} </span>
      {to === '' ? t('None') : to}
    </>
  )
}

function fromTo({ details }: AuditEntry, organization: Organization): ReactNode {
  const { from = null, to = null } = details
  if (JSON.stringify(from) === JSON.stringify(to)) return t('Changed')
  const setting = String(details['setting'] ?? details['property'] ?? '')
  return <Change from={valueText(organization, setting, from)} to={valueText(organization, setting, to)} />
}

function propertyChange(entry: AuditEntry, organization: Organization): ReactNode {
  return (
    <>
      {propertyLabel(detail(entry, 'property'))} {fromTo(entry, organization)}
    </>
  )
}

function memberChange({ details }: AuditEntry): string {
  const count = (...names: string[]) =>
    names.reduce((sum, name) => sum + (Array.isArray(details[name]) ? details[name].length : 0), 0)
  const [added, removed] = [count('added', 'added_subgroups'), count('removed', 'removed_subgroups')]
  if (removed === 0) return t('{added, plural, one {# member} other {# members}} added', { added })
  if (added === 0) return t('{removed, plural, one {# member} other {# members}} removed', { removed })
  return t('{added} added, {removed} removed', { added, removed })
}

const isPeople = (value: object): value is { direct_members: number[]; direct_subgroups: number[] } =>
  'direct_members' in value && 'direct_subgroups' in value

/** Returns the text of a stored value: a permission, a number of days, a channel, a switch, or text. */
function valueText(organization: Organization, setting: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? t('On') : t('Off')
  if (typeof value === 'object') {
    if (isPeople(value)) return describeSetting(organization, value)
    return Object.values(value).map(String).join(' ')
  }
  if (typeof value === 'string')
    return (SYSTEM_GROUPS as Readonly<Record<string, string>>)[value] ?? WORDS[value] ?? value
  if (setting.startsWith('can_') || setting.endsWith('_group')) return describeSetting(organization, Number(value))
  if (setting.endsWith('_stream_id') || setting.endsWith('_channel_id'))
    return value === -1 ? t('None') : `#${channelName(organization, Number(value))}`
  if (setting.endsWith('_days'))
    return value === -1 ? t('Forever') : t('{value, plural, one {# day} other {# days}}', { value: Number(value) })
  return String(value)
}

function channelName({ subscriptions, unsubscribed, never_subscribed }: Organization, id: number): string {
  const all = [...subscriptions, ...unsubscribed, ...never_subscribed]
  return all.find(({ stream_id }) => stream_id === id)?.name ?? String(id)
}
