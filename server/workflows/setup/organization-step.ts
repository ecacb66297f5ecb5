import { isIP } from 'node:net'
import type { HttpResponse } from '#http/http-types.ts'
import { type FormErrors, field, initialFocus, selectField } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { isSubdomain, realmAddress, realmName } from '#realms/realm.ts'
import {
  organizationTypeLabels,
  organizationTypeNames,
  organizationTypes,
  realmSettingDeclarations,
} from '#realms/realm-settings.ts'
import type { Db } from '#storage/storage.ts'
import { type SetupDraft, saveSetupDraft } from '../set-up-organization.ts'
import { findChosenSubdomainError, redirectToNextStep, stepPage, subdomainField, withDraft } from './setup-page.ts'

export const showOrganizationStep = page({
  route: 'GET /new/{key}/',
  who: 'anyone',
  handle(call, { key }) {
    return withDraft(call, key, '', (draft) => organizationPage(call, key, draft, {}))
  },
})

export const submitOrganizationStep = page({
  route: 'POST /new/{key}/',
  who: 'anyone',
  fields: ['name', 'subdomain', 'type'],
  handle(call, { key, ...given }) {
    const { db, transaction } = call
    return withDraft(call, key, '', async (draft) => {
      const subdomain = given.subdomain.trim().toLowerCase()
      const type = readType(given.type)
      const name = realmName.safeParse(given.name)
      const errors = {
        name: name.success ? undefined : t('Enter a name of 1 to 40 characters.'),
        subdomain: await findSubdomainError(db, draft, { name: given.name, subdomain }),
      }
      if (!name.success || errors.subdomain !== undefined)
        return organizationPage(call, key, { ...draft, organization: { ...given, type } }, errors)
      await transaction((tx) =>
        saveSetupDraft(tx, key, { ...draft, organization: { name: name.data, subdomain, type } }),
      )
      return redirectToNextStep(key, '')
    })
  },
})

/** Returns the number of the chosen type. Any other value becomes the number that stands for no type. */
function readType(given: string): number {
  const parsed = realmSettingDeclarations.org_type.type.safeParse(Number(given))
  return parsed.success ? parsed.data : organizationTypes.unspecified
}

/** Returns the error of a subdomain. The operator may choose any, and visitors only those that are free for everyone. */
async function findSubdomainError(
  db: Db,
  { email }: SetupDraft,
  given: Record<'name' | 'subdomain', string>,
): Promise<string | undefined> {
  if (email !== undefined) return findChosenSubdomainError(db, given)
  return isSubdomain(given.subdomain)
    ? undefined
    : t('Use at most 40 letters from a to z, digits and hyphens, or leave this empty.')
}

/** Returns the page of the step with the answers of the draft. */
export function organizationPage(
  { settings }: PageCall,
  key: string,
  { email, organization: { name, subdomain, type } = { name: '', subdomain: '', type: 0 } }: SetupDraft,
  errors: FormErrors,
): HttpResponse {
  const externalUrl = settings.EXTERNAL_URL
  const { hostName, url } = realmAddress('', externalUrl)
  const isFocused = initialFocus(errors, 'name')
  const example = realmAddress('team', externalUrl).url
  return stepPage({
    key,
    path: '',
    heading: t('Set up your organization'),
    button: t('Continue'),
    errors,
    fields: html`${field({
      name: 'name',
      label: t('Organization name'),
      hint: t('Everyone sees it, for example on the login page. You can change it later.'),
      value: name,
      error: errors['name'],
      autocomplete: 'organization',
      isFocused: isFocused('name'),
    })}${selectField({
      name: 'type',
      label: t('Organization type'),
      hint: t('People see it when they join.'),
      chosen: String(type),
      among: organizationTypeNames.map((name) => ({
        value: String(organizationTypes[name]),
        label: organizationTypeLabels[name],
      })),
    })}${
      email !== undefined && subdomainField(externalUrl, { value: subdomain, error: errors['subdomain'], isFocused })
    }${
      email === undefined &&
      isIP(hostName.replace(/^\[|\]$/g, '')) === 0 &&
      html`<details${subdomain !== '' && html` open`}>
<summary>${t('Use another address than {url}', { url })}</summary>
${field({
  name: 'subdomain',
  label: t('Start of the address'),
  hint: t('With “team”, the address is {example}, which must point to this server.', { example }),
  value: subdomain,
  error: errors['subdomain'],
  isFocused: isFocused('subdomain'),
  autocomplete: 'off',
  isOptional: true,
})}</details>
`
    }`,
  })
}
