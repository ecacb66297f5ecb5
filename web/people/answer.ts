import type { ProfileField } from '../store/organization.ts'
import { applyProfileAnswer } from '../store/profile-fields.ts'
import { t } from '../text/t.ts'
import { FieldKind, type ProfileAnswer } from './profile-fields.ts'

/** The value of a profile field: text or user ids; empty for none. */
export type AnswerValue = string | readonly number[]

/** Props of a profile field. */
export type AnswerProps = {
  field: ProfileField
  value: ProfileAnswer | undefined
  save: (value: AnswerValue) => Promise<unknown>
}

const OF_KINDS: Readonly<Record<number, string>> = {
  [FieldKind.longText]: t('Your answer is saved when you leave the field.'),
  [FieldKind.link]: t('A full URL, starting with https://.'),
}

/** Returns the help text of a field: the administrators' hint, its format, and whether it is required. */
export function answerHint({
  hint,
  type,
  required,
}: Pick<ProfileField, 'hint' | 'type' | 'required'>): string | undefined {
  const text = [asSentence(hint), OF_KINDS[type], required && t('Required.')].filter(Boolean).join(' ')
  return text === '' ? undefined : text
}

/** Returns a hint that ends like a sentence, so that others can follow. */
export const asSentence = (hint: string): string =>
  /[\p{L}\p{N})]$/u.test(hint.trim()) ? `${hint.trim()}.` : hint.trim()

/** The error for removing the value of a required field. */
export const REQUIRED_FIELD_HINT = t('This field is required.')

/** Applies a saved value to the page. For text, the event does this, because it contains the rendered form. */
export function applySavedAnswer(userId: number, { id, type }: ProfileField, value: AnswerValue): void {
  if (type === FieldKind.shortText || type === FieldKind.longText) return
  applyProfileAnswer(userId, {
    id,
    value: value.length === 0 ? null : typeof value === 'string' ? value : JSON.stringify(value),
  })
}
