import { z } from 'zod'

// The version of the protocol and the limits of its responses. It also marks the fields that only this server has:
// clients of the reference server do not receive them unless they ask, so that strict clients can decode every
// response.

/** The version of the protocol. Clients use it to decide which features they can use. */
export const PROTOCOL_VERSION = '10.2'

/** The feature level of the protocol. It increases with each change of the protocol. */
export const FEATURE_LEVEL = 372

/**
 * The maximum size of a response or a batch of events, in bytes. It keeps the content of some users from making the
 * responses to others large. The next request returns the rest.
 */
export const MAX_RESPONSE_BYTES = 8_000_000

/** The maximum size of the list in a response, in bytes. The remaining bytes are enough for the other fields. */
export const MAX_LIST_BYTES = MAX_RESPONSE_BYTES - 50_000

/**
 * Returns whether the text has at most `bytes` bytes in UTF-8. Text with at most a third as many UTF-16 units always
 * fits and is not measured.
 */
export function fitsIn(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
}

/**
 * Returns the schema of a field that is always null on this server. It names the type that the field has on other
 * servers, because client generators need it.
 */
export const alwaysNull = (type: 'integer' | 'string') =>
  z.null().meta({
    type: [type, 'null'],
    ...(type === 'integer' && { format: 'int64' }),
    description: 'Always null on this server.',
  })

/** The mark of a field that only this server has. */
type OwnField = { readonly isOwn: true }

type Fields = Readonly<Record<string, z.ZodType>>

/**
 * Marks the type of a field, or the declaration of a permission, that only this server has. Clients receive the field if
 * they ask for it or have the capability `parley_extensions`. No method may follow, because it would return a type
 * without the mark.
 */
export const ownField = <Type extends object>(type: Type): Type & OwnField =>
  Object.assign(type, { isOwn: true as const })

const isOwnField = (type: object): boolean => 'isOwn' in type

/** Returns the names of the fields that only this server has. */
export const ownFieldNames = (fields: Readonly<Record<string, object>>): ReadonlySet<string> =>
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
