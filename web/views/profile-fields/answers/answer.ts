import type { ProfileField } from '../../../store/organization.ts'
import { takeAnswer } from '../../../store/people/take-answer.ts'
import { KIND } from '../field.ts'
import type { Said } from '../shown-value.ts'

/** What is said in a field: a text, or the ids of people; an empty one is nothing. */
export type Value = string | readonly number[]

/** A field of somebody's profile to be filled in. */
export type AnswerProps = {
  field: ProfileField
  said: Said | undefined
  save: (value: Value) => Promise<unknown>
}

const OF_KINDS: Readonly<Record<number, string>> = {
  [KIND.longText]: 'Saved when you leave the field.',
  [KIND.link]: 'A whole address, with https:// before it.',
}

/** What stands under a field: what administrators say of it, how it is filled in, and that one is to do so. */
export function hintOf({ hint, type, required }: Pick<ProfileField, 'hint' | 'type' | 'required'>): string | undefined {
  const words = [asSentence(hint), OF_KINDS[type], required && 'Everybody is asked for it.'].filter(Boolean).join(' ')
  return words === '' ? undefined : words
}

/** A hint that others may follow. */
export const asSentence = (hint: string): string =>
  /[\p{L}\p{N})]$/u.test(hint.trim()) ? `${hint.trim()}.` : hint.trim()

/** What is said of taking back what everybody is asked for. */
export const ASKED_OF_ALL = 'Everybody here is asked for it.'

/** Makes what was saved the present answer. Of texts the event tells that, with what the server makes of them. */
export function takeSaved(userId: number, { id, type }: ProfileField, value: Value): void {
  if (type === KIND.shortText || type === KIND.longText) return
  takeAnswer(userId, {
    id,
    value: value.length === 0 ? null : typeof value === 'string' ? value : JSON.stringify(value),
  })
}
