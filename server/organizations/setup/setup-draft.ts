import { z } from 'zod'
import { realmSettingDeclarations } from '../realms/settings.ts'

const joiningMethods = ['mail', 'links'] as const

/** The way in which people join the organization: by email and links, or by links only. */
export type JoiningMethod = (typeof joiningMethods)[number]

export const isJoiningMethod = (text: string): text is JoiningMethod =>
  (joiningMethods as readonly string[]).includes(text)

/** The answers to the steps so far. */
export const setupDraft = z.object({
  organization: z
    .object({ name: z.string(), subdomain: z.string(), type: realmSettingDeclarations.org_type.type.default(0) })
    .optional(),
  owner: z
    .object({ fullName: z.string(), email: z.string(), timezone: z.string(), passwordHash: z.string() })
    .optional(),
  joining: z.enum(joiningMethods).optional(),
})

export type SetupDraft = z.infer<typeof setupDraft>

/** A draft with all answers. */
export type CompleteSetupDraft = Required<SetupDraft>
