import { z } from 'zod'
import { realmSettingDeclarations } from '#realms/settings.ts'

const joiningMethods = ['mail', 'links'] as const

/** The way in which people can join the organization: by email and links, or only by links. */
export type JoiningMethod = (typeof joiningMethods)[number]

export const isJoiningMethod = (text: string): text is JoiningMethod =>
  (joiningMethods as readonly string[]).includes(text)

/** The answers to the steps that have been completed so far. */
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

/** A draft with the answers to all steps. */
export type CompleteSetupDraft = Required<SetupDraft>
