import type { ProfileField } from '../../../store/organization.ts'
import { applyProfileAnswer } from '../../../store/people/apply-profile-answer.ts'
import { t } from '../../../text/t.ts'
import type { ProfileAnswer } from '../displayed-value.ts'
import { FieldKind } from '../field.ts'

/** What is said in a field: a text, or the ids of people; an empty one is nothing. */
export type AnswerValue = string | readonly number[]

/** A field of somebody's profile to be filled in. */
export type AnswerProps = {
  field: ProfileField
  value: ProfileAnswer | undefined
  save: (value: AnswerValue) => Promise<unknown>
}

const OF_KINDS: Readonly<Record<number, string>> = {
  [FieldKind.longText]: t('Saved when you leave the field.'),
  [FieldKind.link]: t('A full URL, starting with https://.'),
}

/** What stands under a field: what administrators say of it, how it is filled in, and that one is to do so. */
export function answerHint({
  hint,
  type,
  required,
}: Pick<ProfileField, 'hint' | 'type' | 'required'>): string | undefined {
  const text = [asSentence(hint), OF_KINDS[type], required && t('Required.')].filter(Boolean).join(' ')
  return text === '' ? undefined : text
}

/** A hint that others may follow. */
export const asSentence = (hint: string): string =>
  /[\p{L}\p{N})]$/u.test(hint.trim()) ? `${hint.trim()}.` : hint.trim()

/** What is said of taking back what everybody is asked for. */
export const REQUIRED_FIELD_HINT = t('This field is required.')

/** Makes what was saved the present answer. Of texts the event tells that, with what the server makes of them. */
export function applySavedAnswer(userId: number, { id, type }: ProfileField, value: AnswerValue): void {
  if (type === FieldKind.shortText || type === FieldKind.longText) return
  applyProfileAnswer(userId, {
    id,
    value: value.length === 0 ? null : typeof value === 'string' ? value : JSON.stringify(value),
  })
}
