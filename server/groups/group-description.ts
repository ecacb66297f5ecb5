import { refusal } from '#lib/errors/refusal.ts'

/** The maximum length of a description, in code points. */
const MAX_DESCRIPTION_LENGTH = 1024

export const groupDescriptionTooLong = refusal(
  'BAD_REQUEST',
  400,
  `description is too long (limit: ${MAX_DESCRIPTION_LENGTH} characters)`,
  { field: 'description' },
)

export function requireGroupDescription(description: string): string {
  if (Array.from(description).length > MAX_DESCRIPTION_LENGTH) throw groupDescriptionTooLong()
  return description
}
