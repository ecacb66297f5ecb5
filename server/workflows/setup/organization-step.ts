import { isIP } from 'node:net'
import type { HttpResponse } from '#http/http-types.ts'
import { type FormErrors, field, initialFocus, selectField } from '#http/page-html.ts'
import { page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { isSubdomain, realmAddress, realmName } from '#realms/realm.ts'
import {
  organizationTypeLabels,
  organizationTypeNames,
  organizationTypes,
  realmSettingDeclarations,
} from '#realms/settings.ts'
import { saveSetupDraft } from '../set-up-organization.ts'
import { redirectToNextStep, stepPage, withDraft } from './setup-page.ts'

export const showOrganizationStep = page({
  route: 'GET /new/{key}/',
  who: 'anyone',
  handle(call, { key }) {
    const { EXTERNAL_URL } = call.settings
    return withDraft(call, key, '', ({ organization }) =>
      organizationPage(key, EXTERNAL_URL, organization ?? { name: '', subdomain: '', type: 0 }, {}),
    )
  },
})

export const submitOrganizationStep = page({
  route: 'POST /new/{key}/',
  who: 'anyone',
  fields: ['name', 'subdomain', 'type'],
  handle(call, { key, ...given }) {
    const { transaction, settings } = call
    return withDraft(call, key, '', async (draft) => {
      const subdomain = given.subdomain.trim().toLowerCase()
      const type = readType(given.type)
      const name = realmName.safeParse(given.name)
      const errors = {
        name: name.success ? undefined : t('Enter a name of 1 to 40 characters.'),
        subdomain: isSubdomain(subdomain)
          ? undefined
          : t('Use at most 40 letters from a to z, digits and hyphens, or leave this empty.'),
      }
      if (!name.success || errors.subdomain !== undefined)
        return organizationPage(key, settings.EXTERNAL_URL, { ...given, type }, errors)
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

function organizationPage(
  key: string,
  externalUrl: string,
  { name, subdomain, type }: { name: string; subdomain: string; type: number },
  errors: FormErrors,
): HttpResponse {
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
