import type { ProfileField } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { choicesOf, type FieldChoice, FieldKind, siteOf } from '../../profile-fields/field.ts'

/** The site of accounts that the server does not know. */
export const CUSTOM = 'custom'

/** A field as administrators fill it in. */
export type FieldDraft = {
  type: number
  name: string
  hint: string
  choices: readonly FieldChoice[]
  /** A site that the server knows, or `CUSTOM`, where accounts are at the pattern. */
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

/** Whether it is for accounts at a site that the server knows, which has its name and its hint from there. */
export const isAtKnownSite = ({ type, site }: FieldDraft): boolean =>
  type === FieldKind.externalAccount && site !== CUSTOM

/** Whether it may stand on the short card, which has no room for long texts and for people. */
export const fitsSummary = ({ type }: Pick<FieldDraft, 'type'>): boolean =>
  type !== FieldKind.longText && type !== FieldKind.people

/** What is sent of it; name, hint and data only where administrators decide them. */
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

/** The choices and an empty one more, of a key that none of them had. */
export function withNewChoice(choices: readonly FieldChoice[], before: readonly FieldChoice[]): FieldChoice[] {
  // Whoever had chosen what was taken out must not be found to have chosen the new one.
  const numbers = [...before, ...choices].map(({ key }) => Number(key)).filter(Number.isSafeInteger)
  return [...choices, { key: String(Math.max(-1, ...numbers) + 1), text: '' }]
}

/** A part of the form, by which complaints are told apart. */
export type FieldPart = 'name' | 'site' | 'pattern' | 'choices' | 'isInSummary'

/** What is missing, said of each part that lacks it. */
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

/** Which part a refusal of the server is about; null when it is about none. */
export function refusedField(draft: FieldDraft, refusal: string): FieldPart | null {
  if (/label|^name /i.test(refusal)) return isAtKnownSite(draft) ? 'site' : 'name'
  if (/URL|url_pattern/.test(refusal)) return 'pattern'
  if (/choice|field_data/.test(refusal)) return 'choices'
  return /profile summary/.test(refusal) ? 'isInSummary' : null
}
