import {
  type FieldData,
  FieldType,
  isFieldType,
  MAX_FIELD_NAME_LENGTH,
  MAX_HINT_LENGTH,
  type ProfileField,
} from '#people/profiles/field.ts'
import { requireFieldData } from '#people/profiles/field-data.ts'
import { saveProfileField } from '#people/profiles/field-queries.ts'
import { renderValue, requireValue } from '#people/profiles/value.ts'
import { saveProfileValue } from '#people/profiles/value-queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { nullIfRefused } from './import-error.ts'
import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'
import type { ImportedUsers } from './users.ts'

type Parts = { realm: Realm; accounts: ImportedUsers; report: ImportReport }

/** Imports the custom profile fields in order, and their values. */
export async function importProfiles(tx: Transaction, data: ExportData, parts: Parts): Promise<void> {
  const fields = new Map<number, ProfileField>()
  const rows = data.profileFields.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0) || one.id - other.id)
  for (const row of rows) {
    const type = isFieldType(row.field_type) ? row.field_type : null
    const data = type && nullIfRefused(() => requireFieldData(type, parse(row.field_data)))
    if (type === null || data === null) {
      parts.report.add('profile fields', 'these field types are not supported')
      continue
    }
    const field = {
      name: cut(row.name, MAX_FIELD_NAME_LENGTH),
      type,
      hint: cut(row.hint, MAX_HINT_LENGTH),
      data,
      isInSummary: row.display_in_profile_summary ?? false,
      isRequired: row.required ?? false,
      isEditable: row.editable_by_user ?? true,
    }
    const id = await saveProfileField(tx, parts.realm.id, field)
    fields.set(row.id, { ...field, id, position: id })
  }
  const realmUrl = realmAddress(parts.realm.subdomain, tx.db.settings.EXTERNAL_URL).url
  for (const row of data.profileValues) {
    const field = fields.get(row.field)
    const value = field && fitValue(field, row.value, parts.accounts)
    if (field === undefined || value === undefined || value === null) {
      parts.report.add('profile field values', 'they are not valid here')
      continue
    }
    const userId = parts.accounts.get(row.user_profile)!.id
    await saveProfileValue(tx, { userId, fieldId: field.id, value, renderedValue: renderValue(field, value, realmUrl) })
  }
}

const cut = (text: string, limit: number) => Array.from(text.trim()).slice(0, limit).join('')

function parse(text: string): FieldData {
  try {
    return Object(JSON.parse(text || '{}')) as FieldData
  } catch {
    return {}
  }
}

/** Returns null if the value is not valid for the field. */
function fitValue(field: ProfileField, given: string, accounts: ImportedUsers): string | null {
  if (field.type !== FieldType.people) return nullIfRefused(() => requireValue(field, given))
  const ids = /^\[[\d, ]*\]$/.test(given) ? (given.match(/\d+/g) ?? []) : null
  return ids && JSON.stringify(ids.flatMap((id) => accounts.get(Number(id))?.id ?? []))
}
