import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isPermission, type RealmSettingName, realmSettingNames } from '#realms/realm-settings.ts'
import { ORGANIZATION_SETTINGS, REALM_PERMISSIONS } from '../../web/settings/organization-settings.ts'
import { movingPicture } from '../pictures.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

type Control = { at: string; label: string } | { none: string }

const at = (section: string, label: string): Control => ({ at: section, label })
const none = (reason: string): Control => ({ none: reason })
const missing = (feature: string): Control => none(`Parley has no ${feature}`)

/** The control of each setting: its section and label, or the reason why there is none. */
const CONTROLS: Readonly<Partial<Record<RealmSettingName, Control>>> = {
  description: at('profile', 'Description'),
  org_type: at('profile', 'Type'),
  default_language: missing('translations of mails and pages'),
  default_code_block_language: at('messages', 'Default language for code blocks'),
  invite_required: at('joining', 'Require an invitation to join'),
  emails_restricted_to_domains: at('joining', 'Only allow email addresses from certain domains'),
  disallow_disposable_email_addresses: at('joining', 'Don’t allow disposable email addresses'),
  authentication_methods: at('sign-in', 'Sign-in methods'),
  waiting_period_threshold: at('joining', 'New users become full members'),
  message_edit_history_visibility_policy: at('messages', 'Edit history'),
  allow_message_editing: at('messages', 'Allow message editing'),
  message_content_edit_limit_seconds: at('messages', 'Time limit for editing messages'),
  message_content_delete_limit_seconds: at('messages', 'Time limit for deleting messages'),
  move_messages_within_stream_limit_seconds: at('messages', 'Time limit for moving messages between topics'),
  move_messages_between_streams_limit_seconds: at('messages', 'Time limit for moving messages between channels'),
  mandatory_topics: at('messages', 'Require topics in channel messages'),
  audit_log_retention_days: at('audit', 'Audit log retention'),
  message_retention_days: at('messages', 'Message retention'),
  inline_image_preview: at('messages', 'Show pictures and videos in messages'),
  inline_url_embed_preview: at('messages', 'Show previews of websites'),
  name_changes_disabled: at('joining', 'Only administrators can change names'),
  email_changes_disabled: at('joining', 'Only administrators can change email addresses'),
  avatar_changes_disabled: at('joining', 'Only administrators can change profile pictures'),
  require_unique_names: at('joining', 'Require unique names'),
  enable_read_receipts: at('messages', 'Enable read receipts'),
  enable_spectator_access: at('permissions', 'Allow web-public channels'),
  allow_search_engines: at('permissions', 'Let search engines list web-public channels'),
  enable_guest_user_indicator: at('joining', 'Show a badge next to guests’ names'),
  enable_guest_user_dm_warning: at('joining', 'Warn before someone sends a direct message to a guest'),
  send_welcome_emails: at('announcements', 'Send a welcome email to new people'),
  message_content_allowed_in_email_notifications: at('announcements', 'Include message content in emails'),
  digest_emails_enabled: at('announcements', 'Email weekly digests to people who have been away'),
  digest_weekday: at('announcements', 'Weekly digest day'),
  video_chat_provider: at('messages', 'Call provider'),
  jitsi_server_url: at('messages', 'Jitsi server'),
  giphy_rating: at('messages', 'GIFs in the compose box'),
  want_advertise_in_communities_directory: missing('directory of organizations'),
  new_stream_announcements_stream_id: at('announcements', 'New channels'),
  signup_announcements_stream_id: at('announcements', 'New people'),
  moderation_request_channel_id: none('the API only: reports of messages are not supported'),
  zulip_update_announcements_stream_id: missing('announcements of updates'),
  presence_disabled: at('presence', 'Hide everyone’s availability'),
  max_invites: none('for the operator of the server'),
  license_limit: none('for the operator of the server'),
  send_channel_removal_notices: at('announcements', 'Notify people when someone removes them from a channel'),
  session_idle_minutes: at('joining', 'Log browsers out if they are not used'),
  session_lifetime_minutes: at('joining', 'Log browsers out after a login'),
  second_factor_required_for: at('sign-in', 'Require two-step login'),
  second_factor_grace_days: at('sign-in', 'Time to set it up'),
  can_manage_billing_group: missing('billing'),
  can_summarize_topics_group: missing('summaries'),
}

function controlOf(name: RealmSettingName): Control | undefined {
  const listed = CONTROLS[name]
  if (listed !== undefined || !isPermission(name)) return listed
  const text = REALM_PERMISSIONS[name]
  return text === null ? undefined : at('permissions', text.label)
}

/** Returns the settings whose control the search of settings doesn't know. */
function unsearchable(): string[] {
  const known = new Set(ORGANIZATION_SETTINGS.map(({ name, section, label }) => `${name}: ${section}, ${label}`))
  return realmSettingNames.filter((name) => {
    const control = controlOf(name)
    return control !== undefined && 'at' in control && !known.has(`${name}: ${control.at}, ${control.label}`)
  })
}

test('every setting of the organization has a control that the search knows, or a reason for having none', async () => {
  assert.deepEqual(unsearchable(), [])
  const stage = await openStage({ settings: { GIPHY_API_KEY: 'x' } })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/profile')
  const labels = Map.groupBy(
    realmSettingNames.flatMap((name) => {
      const control = controlOf(name)
      assert(control !== undefined, `${name} is in no section`)
      return 'at' in control ? [control] : []
    }),
    (control) => control.at,
  )

  for (const [section, controls] of labels) {
    await page.goto(`/organization/${section}`)
    for (const { label } of controls) await page.getByText(label, { exact: true }).first().waitFor()
  }

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

const choose = (page: Page, label: string, file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.getByRole('group', { name: label, exact: true }).locator('input[type=file]').setInputFiles(file)

test('the icon and a logo appear in the sidebar of others, and files of other kinds are refused', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [page, bens] = [await stage.openAs(ada, '/organization/profile'), await stage.openAs(ben, '/people')]
  const image = { name: 'icon.gif', mimeType: 'image/gif', buffer: movingPicture }
  await page.getByRole('button', { name: 'Upload: Icon' }).waitFor()

  await choose(page, 'Icon', { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') })
  await page.getByText('notes.txt isn’t a supported image.').waitFor()
  await choose(page, 'Icon', { ...image, buffer: Buffer.from('words') })
  await page.getByText('Could not decode image').waitFor()
  await choose(page, 'Icon', image)
  await bens.locator('.organization-mark img').waitFor()
  await choose(page, 'Logo', image)
  await bens.locator('.organization-logo').waitFor()
  await bens.getByRole('button', { name: /organization menu$/ }).waitFor()
  await page.getByRole('button', { name: 'Remove: Logo', exact: true }).click()
  await bens.locator('.organization-mark img').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Upload: Logo')

  assert.deepEqual(await inspect(page, 'organization-pictures'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator chooses the type of the organization, and everyone finds it under About', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [page, bens] = [await stage.openAs(ada, '/organization/profile'), await stage.openAs(ben, '/settings/about')]
  const about = bens.getByRole('region', { name: 'Organization', exact: true })
  await about.getByText('Name', { exact: true }).waitFor()
  assert.equal(await about.getByText('Type', { exact: true }).count(), 0)

  await page.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Open-source project' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()

  await about.getByText('Open-source project').waitFor()
  assert.deepEqual(await inspect(bens, 'about-organization'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a setting that another administrator changes shows the new value with a notice, and typed text stays', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/announcements')
  await page.getByText('Include message content in emails').waitFor()

  await cleo.succeed('PATCH /realm', { message_content_allowed_in_email_notifications: false })
  await page.getByText('This was just changed elsewhere.').waitFor()
  await becomes(() => page.getByRole('checkbox', { name: 'Include message content in emails' }).isChecked(), false)
  await page
    .getByRole('navigation', { name: 'Organization' })
    .getByRole('link', { name: 'Profile', exact: true })
    .click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Mine')
  await cleo.succeed('PATCH /realm', { name: 'Theirs' })
  await page.getByText('This was changed to “Theirs” elsewhere.').waitFor()
  assert.equal(await name.inputValue(), 'Mine')
  await name.press('Escape')

  await becomes(() => name.inputValue(), 'Theirs')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a refused change names the reason at its field, and the channel stays as it was', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/announcements')
  await page.route('**/json/realm', (route) =>
    route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Invalid channel ID' } }),
  )

  await page.getByRole('button', { name: /New people/ }).click()
  await page.getByRole('option', { name: '#design' }).click()
  await page.locator('.field-error', { hasText: 'Invalid channel ID' }).waitFor()
  await becomes(
    async () => (await page.getByRole('button', { name: /New people/ }).textContent())?.trim(),
    'No channel',
  )
  await page.unroute('**/json/realm')
  await page.getByRole('button', { name: /New people/ }).click()
  await page.getByRole('option', { name: '#design' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()

  const { realm_signup_announcements_stream_id: id } = await ada.succeed('POST /register')
  assert.notEqual(id, -1)
  await stage.close()
})

test('new accounts start with the settings that an administrator chose', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/new-users')

  await page.getByRole('button', { name: /Theme/ }).click()
  await page.getByRole('option', { name: 'Dark' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByText('24-hour time', { exact: true }).click()
  await page.getByText('Saved', { exact: true }).nth(1).waitFor()

  const { realm_user_settings_defaults: defaults } = await ada.succeed('POST /register')
  assert.deepEqual([defaults.color_scheme, defaults.twenty_four_hour_time], [2, true])
  await page.reload()
  await becomes(() => page.getByRole('checkbox', { name: '24-hour time' }).isChecked(), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the usage page shows people, messages and files, also as a table', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await stage.chat.clock.advance(3600)
  await stage.chat.app.jobs.messageCounts.settled()
  const page = await stage.openAs(ada, '/organization/usage')

  await page.getByRole('img', { name: /^Messages per day/ }).waitFor()
  await page.getByText('Show as a table').click()
  const rows = page.getByRole('table', { name: 'Usage per day' }).getByRole('row')
  await becomes(() => rows.count(), 31)
  await page.getByRole('button', { name: /Period/ }).click()
  await page.getByRole('option', { name: '7 days' }).click()
  await becomes(() => rows.count(), 8)

  assert.notEqual(await rows.nth(1).getByRole('cell').first().textContent(), '0')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an owner deactivates the organization after typing its name, is signed out, and reactivates it by email', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/profile')

  await page.getByRole('button', { name: 'Deactivate organization…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox', { name: 'Organization name' }).fill('something')
  await dialog.getByRole('button', { name: 'Deactivate organization' }).click()
  await dialog.getByText(/^Enter “.*” to confirm/).waitFor()
  assert.equal((await ada.call('GET /users/me')).status, 200)
  await dialog.getByRole('textbox').fill((await ada.succeed('POST /register')).realm_name)
  await dialog.getByRole('button', { name: 'Deactivate organization' }).click()
  await page.waitForURL(/\/login\//)

  assert.equal((await ada.call('GET /users/me')).msg, 'This organization has been deactivated')
  await page.getByRole('heading', { name: 'This organization is deactivated' }).waitFor()
  assert.deepEqual(await inspect(page, 'organization-deactivated'), [])

  const mail = (await stage.chat.mail()).findLast(({ to }) => to.includes(ada.email))
  const link = /\/reactivate\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  await page.goto(new URL(link, page.url()).href)
  await page.getByRole('button', { name: 'Reactivate the organization' }).waitFor()
  assert.deepEqual(await inspect(page, 'organization-reactivation'), [])
  await page.getByRole('button', { name: 'Reactivate the organization' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  assert.equal((await ada.call('GET /users/me')).status, 200)
  await stage.close()
})
