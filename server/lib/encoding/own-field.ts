import type { z } from 'zod'

/** The mark of a field that only this server has. */
type OwnField = { readonly isOwn: true }

type Fields = Readonly<Record<string, z.ZodType>>

/**
 * Marks the type of a field that only this server has. Clients receive the field if they ask for it or have the
 * capability `parley_extensions`. No method may follow, because it would return a type without the mark.
 */
export const ownField = <Type extends z.ZodType>(type: Type): Type & OwnField =>
  Object.assign(type, { isOwn: true as const })

const isOwnField = (type: z.ZodType): boolean => 'isOwn' in type

/** Returns the names of the fields that only this server has. */
export const ownFieldNames = (fields: Fields): ReadonlySet<string> =>
  new Set(Object.keys(fields).filter((name) => isOwnField(fields[name]!)))

/** Returns the fields; those that only this server has are optional. */
export const withOptionalOwnFields = <Given extends Fields>(fields: Given) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, isOwnField(type) ? type.optional() : type]),
  ) as { [Name in keyof Given]: Given[Name] extends OwnField ? z.ZodOptional<Given[Name]> : Given[Name] }

/** Leaves out the fields that only this server has. */
export const withoutOwnFields = <Value extends object>(fields: Fields, value: Value): Value =>
  Object.fromEntries(
    Object.entries(value).filter(([name]) => fields[name] === undefined || !isOwnField(fields[name])),
  ) as Value
