import { MAX_WIDGET_INDEX } from '#rules/limits.ts'

/** A submessage of a message. The first submessage is the widget, and all others are changes to it. */
export type Submessage = { readonly sender_id: number; readonly content: string }

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** The user who added an option or task; `canned` for options and tasks that the message itself contains. */
export type Adder = number | 'canned'

/** Returns the object that a submessage contains; null for anything else. */
export function readFields({ content }: Submessage): Fields | null {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_WIDGET_INDEX

/** Returns the index of the next item that the user adds. `used` are the indexes of the user's earlier items. */
export const nextIndex = (used: readonly number[]): number => Math.max(0, ...used) + 1
