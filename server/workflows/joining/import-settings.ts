import { avatarPath, mediumAvatarPath } from '#accounts/avatars.ts'
import { findVerifiedHash } from '#accounts/password-checks.ts'
import { type FormErrors, field } from '#http/page-html.ts'
import type { RealmPageCall } from '#http/pages.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findSignInMethods } from '#identity/providers.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { hasSecondFactor, isSecondFactorDue } from '#people/second-factors.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { TIMED_SETTINGS, type UserSettings } from '#people/user-settings.ts'
import { isBot, type User } from '#people/users.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { isSubdomain, type Realm, subdomainOf } from '#realms/realm.ts'

/** The form fields in which people who join name their account in another organization of the server. */
export type ImportFields = { other_organization: string; other_password: string }

/** Renders the fields, which are collapsed unless they have been used. */
export function importFields(
  { other_organization }: Pick<ImportFields, 'other_organization'>,
  errors: FormErrors,
): Html {
  const error = errors['other_password']
  const isOpen = error !== undefined || other_organization !== ''
  return html`<details${isOpen && html` open`}>
<summary>${t('Import your settings from another organization')}</summary>
<p class="hint">${t('Copies your profile picture and your personal settings, such as the theme and notifications, from your account with the same email address on this server.')}</p>
${field({
  name: 'other_organization',
  label: t('Address of the other organization'),
  hint: t('Copy it from your browser, for example https://team.example.com.'),
  value: other_organization,
  autocomplete: 'off',
  isOptional: true,
})}${field({
  name: 'other_password',
  label: t('Your password there'),
  type: 'password',
  autocomplete: 'off',
  error,
  isOptional: true,
  isFocused: error !== undefined,
})}</details>
`
}

/**
 * Returns the account whose settings are imported: the account with this address in the named organization, if the
 * password is correct. If the fields are empty, the account is null. The password proves that the account belongs to
 * the person who joins, since not every way of joining confirms the address. A missing organization or account, one with
 * a second factor or without one that is required, and one whose organization does not use passwords cause the same error as a wrong password.
 */
export async function findImportedAccount(
  call: RealmPageCall,
  { other_organization, other_password }: ImportFields,
  email: string,
): Promise<{ account: User | null; errors: FormErrors }> {
  if (other_organization.trim() === '' && other_password === '') return { account: null, errors: {} }
  const other = await findNamedRealm(call, other_organization.trim())
  const found = other === null ? null : await findUserByDeliveryEmail(call.db, other.id, email)
  const isUsable = found !== null && !isBot(found) && found.deactivatedAt === null
  // The password alone opens no account that has or needs a second factor, or whose organization does not use passwords.
  const usesPasswords = other !== null && (await findSignInMethods(call.db, other)).isPasswordEnabled
  const isDue = isUsable && other !== null && isSecondFactorDue(found, other.settings, call.clock.now())
  const user = isUsable && usesPasswords && !isDue && !(await hasSecondFactor(call.db, found.id)) ? found : null
  const attempt = { user, name: email, realmId: other?.id ?? 0, password: other_password }
  const hash = await catchRefusal(() => findVerifiedHash(call, attempt))
  if (hash instanceof Refusal) return { account: null, errors: { other_password: tooManyAttempts() } }
  if (hash === null) return { account: null, errors: { other_password: noSuchAccount(email) } }
  return { account: user, errors: {} }
}

const tooManyAttempts = () => t('Too many attempts. Join without importing, or try again in half an hour.')

const noSuchAccount = (email: string) =>
  t(
    'There is no account with {email} in that organization, the password is incorrect, or the account uses two-step login.',
    { email },
  )

/** Finds another active organization by its subdomain or address. */
async function findNamedRealm({ db, realm, settings }: RealmPageCall, text: string): Promise<Realm | null> {
  const subdomain = text !== '' && isSubdomain(text.toLowerCase()) ? text.toLowerCase() : subdomainIn(text, settings)
  if (subdomain === null) return null
  const found = await findRealmBySubdomain(db, subdomain)
  return found === null || found.id === realm.id || found.deactivatedAt !== null ? null : found
}

function subdomainIn(text: string, settings: RealmPageCall['settings']): string | null {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  return url === null ? null : subdomainOf(url.host, settings.EXTERNAL_URL, settings.REALM_HOSTS)
}

/**
 * Returns the personal settings that are copied. Two kinds are not copied: timed settings, and the consent to exports,
 * because the user gave it to the administrators of the other organization.
 */
export function importedSettings({ settings }: User): Partial<UserSettings> {
  const excluded: readonly string[] = [...TIMED_SETTINGS, 'allow_private_data_export']
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !excluded.includes(name)))
}

/** Copies the account's uploaded picture to a new file and returns the file's name; null if there is no picture. */
export async function copyPicture(
  { files, random, realm }: RealmPageCall,
  { avatarFile }: User,
): Promise<string | null> {
  const small = avatarFile === null ? null : await files.read(avatarPath(avatarFile))
  if (avatarFile === null || small === null) return null
  const medium = await files.read(mediumAvatarPath(avatarFile))
  const name = `${realm.id}/${random.bytes(20).toString('hex')}.png`
  await files.save(avatarPath(name), small)
  if (medium !== null) await files.save(mediumAvatarPath(name), medium)
  return name
}
