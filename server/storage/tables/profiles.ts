import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type ProfileTables = {
  /** The custom profile fields of an organization. */
  profileFields: {
    id: Generated<number>
    realmId: number
    /** Unique in its organization. */
    name: string
    /** 1 to 8, as defined in people/profiles/field.ts. */
    type: number
    hint: string
    /** The choices, or the service of an external account; an empty object for all other types. */
    data: Json
    position: number
    isInSummary: Bit
    isRequired: Bit
    isEditable: Bit
  }

  profileValues: {
    userId: number
    fieldId: number
    value: string
    /** The value as HTML; null for types without HTML. */
    renderedValue: string | null
  }
}
