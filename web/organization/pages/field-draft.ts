import { choicesOf, type FieldChoice, FieldKind, siteOf } from '../../people/profile-fields.ts'
import type { ProfileField } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The value of `site` for external accounts at a site that the server does not know. */
export const CUSTOM = 'custom'

/** The values in the form of a profile field. */
export type FieldDraft = {
  type: number
  name: string
  hint: string
  choices: readonly FieldChoice[]
  /** A site that the server knows, or `CUSTOM` with a URL pattern. */
  site: string
  pattern: string
  isInSummary: boolean
  isRequired: boolean
  isEditable: boolean
}

export const NEW_FIELD: FieldDraft = {
  type: FieldKind.shortText,
  name: '',
  hint: '',
  choices: [
    { key: '0', text: '' },
    { key: '1', text: '' },
  ],
  site: CUSTOM,
  pattern: '',
  isInSummary: false,
  isRequired: false,
  isEditable: true,
}

export function toDraft(field: ProfileField): FieldDraft {
  const { subtype = CUSTOM, url_pattern = '' } = siteOf(field) ?? {}
  return {
    type: field.type,
    name: field.name,
    hint: field.hint,
    choices: choicesOf(field),
    site: subtype,
    pattern: url_pattern,
    isInSummary: field.display_in_profile_summary === true,
    isRequired: field.required,
    isEditable: field.editable_by_user,
  }
}

/** Returns true if the server knows the site, and so provides name and hint. */
export const isAtKnownSite = ({ type, site }: FieldDraft): boolean =>
  type === FieldKind.externalAccount && site !== CUSTOM

/** Returns true if the profile summary can include the field. It excludes long text and people. */
export const fitsSummary = ({ type }: Pick<FieldDraft, 'type'>): boolean =>
  type !== FieldKind.longText && type !== FieldKind.people

/** Returns the parameters of the API. They include name, hint and data only if administrators choose them. */
export function toParams(draft: FieldDraft) {
  const flags = {
    display_in_profile_summary: draft.isInSummary && fitsSummary(draft),
    required: draft.isRequired,
    editable_by_user: draft.isEditable,
  }
  const data = toData(draft)
  const field = { ...flags, ...(data !== null && { field_data: data }) }
  return isAtKnownSite(draft) ? field : { ...field, name: draft.name.trim(), hint: draft.hint.trim() }
}

type FieldData = Record<string, string | Record<string, string>>

function toData({ type, choices, site, pattern }: FieldDraft): FieldData | null {
  if (type === FieldKind.externalAccount)
    return site === CUSTOM ? { subtype: site, url_pattern: pattern.trim() } : { subtype: site }
  if (type !== FieldKind.choice) return null
  const entries = choices
    .filter(({ text }) => text.trim() !== '')
    .map(({ key, text }, at) => [key, { text: text.trim(), order: String(at + 1) }] as const)
  return Object.fromEntries(entries)
}

/** Returns the options with an additional empty one, which has a new key. */
export function withNewChoice(choices: readonly FieldChoice[], before: readonly FieldChoice[]): FieldChoice[] {
  // A reused key would select the new option for users who had the removed one.
  const numbers = [...before, ...choices].map(({ key }) => Number(key)).filter(Number.isSafeInteger)
  return [...choices, { key: String(Math.max(-1, ...numbers) + 1), text: '' }]
}

/** A part of the form that can have an error. */
export type FieldPart = 'name' | 'site' | 'pattern' | 'choices' | 'isInSummary'

/** Returns errors for missing values. */
export function missingFields(draft: FieldDraft): Partial<Record<FieldPart, string>> {
  const isNameless = !isAtKnownSite(draft) && draft.name.trim() === ''
  const isChoiceless = draft.type === FieldKind.choice && draft.choices.every(({ text }) => text.trim() === '')
  const isNowhere = draft.type === FieldKind.externalAccount && draft.site === CUSTOM && draft.pattern.trim() === ''
  return {
    ...(isNameless && { name: t('Enter a name.') }),
    ...(isChoiceless && { choices: t('Enter at least one option.') }),
    ...(isNowhere && { pattern: t('Enter a URL pattern.') }),
  }
}

/** Returns the part that a server error is about; null if it is about none. */
export function refusedField(draft: FieldDraft, refusal: string): FieldPart | null {
  if (/label|^name /i.test(refusal)) return isAtKnownSite(draft) ? 'site' : 'name'
  if (/URL|url_pattern/.test(refusal)) return 'pattern'
  if (/choice|field_data/.test(refusal)) return 'choices'
  return /profile summary/.test(refusal) ? 'isInSummary' : null
}
