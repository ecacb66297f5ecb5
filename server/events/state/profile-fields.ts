import { z } from 'zod'
import { FieldType, profileFieldJson, toProfileFieldJson } from '#people/profiles/field.ts'
import { findProfileFields } from '#people/profiles/field-queries.ts'
import { stateSlice } from './slice.ts'

/** The field types that administrators choose from. */
const types = {
  SHORT_TEXT: { id: FieldType.shortText, name: 'Text (short)' },
  LONG_TEXT: { id: FieldType.longText, name: 'Text (long)' },
  SELECT: { id: FieldType.choice, name: 'List of options' },
  DATE: { id: FieldType.date, name: 'Date' },
  URL: { id: FieldType.link, name: 'Link' },
  USER: { id: FieldType.people, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: FieldType.externalAccount, name: 'External account' },
  PRONOUNS: { id: FieldType.pronouns, name: 'Pronouns' },
}

export const profileFieldSlice = stateSlice({
  types: ['custom_profile_fields'],
  returns: {
    custom_profile_fields: z.array(profileFieldJson),
    custom_profile_field_types: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
  },
  async fetch({ db, actor }) {
    return {
      custom_profile_fields: (await findProfileFields(db, actor.realmId)).map(toProfileFieldJson),
      custom_profile_field_types: types,
    }
  },
})
