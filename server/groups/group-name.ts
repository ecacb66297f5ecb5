import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { RealmGroups } from './queries.ts'

/** The maximum length of a group name, in code points. */
const MAX_NAME_LENGTH = 100

const groupNameEmpty = refusal('BAD_REQUEST', 400, "User group name can't be empty!", { field: 'name' })
const groupNameTooLong = refusal('BAD_REQUEST', 400, `User group name cannot exceed ${MAX_NAME_LENGTH} characters.`, {
  field: 'name',
})
const groupNamePrefix = refusal('BAD_REQUEST', 400, "User group name cannot start with '{prefix}'.", {
  field: 'name',
})
const groupNameCharacter = refusal('BAD_REQUEST', 400, 'Invalid characters in user group name.', {
  field: 'name',
})
const groupNameTaken = refusal('BAD_REQUEST', 400, "User group '{name}' already exists.", { field: 'name' })

export const groupNameRefusals = [groupNameEmpty, groupNameTooLong, groupNamePrefix, groupNameCharacter, groupNameTaken]

/** Names with these prefixes would be read as other mentions or as system groups. */
const RESERVED_PREFIXES = ['@', 'role:', 'user:', 'stream:', 'channel:']

/** Returns the name without surrounding white space. Refuses an invalid name. */
export function requireGroupName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw groupNameEmpty()
  if (Array.from(name).length > MAX_NAME_LENGTH) throw groupNameTooLong()
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved))
  if (prefix !== undefined) throw groupNamePrefix({ prefix })
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw groupNameCharacter()
  return name
}

/** Refuses the name of an active group, unless that group is `exceptId`. Case is ignored, as it is in mentions. */
export function requireUniqueGroupName(groups: RealmGroups, name: string, exceptId: number | null): void {
  const key = name.toLowerCase()
  for (const group of groups.byId.values()) {
    if (group.id === exceptId || group.deactivatedAt !== null) continue
    if (group.name.toLowerCase() === key) throw groupNameTaken({ name })
  }
}
