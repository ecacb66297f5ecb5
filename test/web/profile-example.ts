import { FieldType } from '#people/profile-fields.ts'
import type { Person } from '../harness.ts'

const editors = { vim: { text: 'Vim', order: '1' }, emacs: { text: 'Emacs', order: '2' } }

/** A field of each kind, by its name. */
const FIELDS = {
  Phone: { field_type: FieldType.shortText, hint: 'Where you are reached in a hurry' },
  'About you': { field_type: FieldType.longText },
  Editor: { field_type: FieldType.choice, field_data: editors },
  Birthday: { field_type: FieldType.date },
  'Home page': { field_type: FieldType.link, hint: 'With https://' },
  Mentor: { field_type: FieldType.people, hint: 'Who shows you around' },
  'GitHub username': { field_type: FieldType.externalAccount, field_data: { subtype: 'github' } },
  Pronouns: { field_type: FieldType.pronouns, display_in_profile_summary: true },
}

type FieldIds = Record<keyof typeof FIELDS, number>

/** Adds a profile field of each type; returns their ids. Only the pronouns are in the profile summary. */
export async function addProfileFields(admin: Person): Promise<FieldIds> {
  const ids: Record<string, number> = {}
  for (const [name, field] of Object.entries(FIELDS))
    ids[name] = (await admin.succeed('POST /realm/profile_fields', { name, ...field }))['id'] as number
  return ids as FieldIds
}

/** Fills each of the fields with a value. */
export async function fillProfile(person: Person, mentor: Person, ids: FieldIds): Promise<void> {
  const values: Record<keyof FieldIds, unknown> = {
    Phone: '+44 20 7946 0123',
    'About you': 'Runs the **analytical** engine.\n\n- tea\n- trains\n\nSee https://example.com/engine',
    Editor: 'vim',
    Birthday: '1990-12-10',
    'Home page': 'https://example.com/ben',
    Mentor: [mentor.id],
    'GitHub username': 'bitdiddle',
    Pronouns: 'he/him',
  }
  const data = Object.entries(values).map(([name, value]) => ({ id: ids[name as keyof FieldIds], value }))
  await person.succeed('PATCH /users/me/profile_data', { data })
}
